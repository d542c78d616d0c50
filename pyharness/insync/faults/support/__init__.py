"""What several kinds of fault use: control groups, /proc, the stall shim, mounted disks."""
