-- What was said around a place of a session is found by its place.

DROP INDEX evidence_session;
CREATE INDEX evidence_place ON evidence (scope_key, session_id, seq);
