"""What is made of other programs' recordings: reports over them, and what they say of our parts."""
