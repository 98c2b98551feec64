"""Drives Alpha and BetaBrite LED signs from the feed: shows amounts, never makes or changes one."""
