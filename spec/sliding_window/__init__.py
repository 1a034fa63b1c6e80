"""What `sliding-window` states (Upadhyay, Upadhyay: A Framework for Private Matrix Analysis)."""
