"""What the pages about policies show: those in force, what they come to, and drafts."""
