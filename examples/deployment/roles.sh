# Applies the SQL of `cadastre init roles`, and sets the passwords of the roles.
set -eu
psql -X -q -f /roles.sql
for role in owner service worker; do
  eval "password=\$$(echo "$role" | tr a-z A-Z)_PASSWORD"
  echo "alter role :\"role\" password :'password';" |
    psql -X -q -v ON_ERROR_STOP=1 -v role="cadastre_$role" -v password="$password"
done
