#!/bin/sh
# Runs once, when the database is created: the two roles that docs/operate.md describes.
set -eu
psql --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" --set ON_ERROR_STOP=1 \
  --set owner="$OWNER_PASSWORD" --set login="$LOGIN_PASSWORD" <<'SQL'
CREATE ROLE governance_owner LOGIN PASSWORD :'owner';
CREATE ROLE governance_login LOGIN NOINHERIT PASSWORD :'login';
CREATE ROLE governance_app NOLOGIN;
CREATE ROLE governance_lookup NOLOGIN;
GRANT governance_app, governance_lookup TO governance_owner WITH INHERIT FALSE, SET TRUE;
GRANT governance_app TO governance_login WITH INHERIT FALSE, SET TRUE;
GRANT CREATE ON DATABASE governance TO governance_owner;
SQL
