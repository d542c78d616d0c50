"""The message that librdkafka gives to a delivery callback, for tests of producers."""


class FakeMessage:
    """A record that was acked at an offset."""

    def __init__(self, offset: int) -> None:
        self._offset = offset

    def offset(self) -> int:
        """Return the offset that was given to the record."""
        return self._offset
