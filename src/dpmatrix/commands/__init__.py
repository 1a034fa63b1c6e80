"""The commands of the command line that compute: privacy profiles, least noise, printed constants."""
