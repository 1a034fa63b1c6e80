"""The commands of the command line that compute: privacy profiles, minimal noise, printed constants."""
