"""Tests that drive a real browser (`conftest`)."""
