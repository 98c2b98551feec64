"""Routes that validate, pay, void and correct, and the printed settlement sheet."""
