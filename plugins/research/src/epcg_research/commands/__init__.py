"""The commands: certificate, reproduce, plot, export, import and study."""
