"""What the level faults does: its cases, how both sides are recorded, and how they are judged."""
