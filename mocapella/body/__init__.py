"""The visible body of a skeleton."""
