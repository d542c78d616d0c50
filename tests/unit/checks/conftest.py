"""The checks are computed in the session that the tests of tables open."""

from unit.tables.conftest import active_session as active_session
