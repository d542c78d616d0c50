"""The error that ends a release with one line."""


class ReleaseError(Exception):
    """A release cannot be made; the message is one line per problem."""
