-- Functions over integers and decimals. They return null instead of raising an error.

-- The integral part of a number if it is in a range; otherwise null, also for NaN and infinity.
create or replace function cadastre_integer(numeric, bigint, bigint) returns bigint language plpgsql immutable strict parallel safe as $$
begin
  return case when trunc($1) between $2 and $3 then trunc($1)::bigint end;
end
$$;

create or replace function cadastre_int64(numeric) returns bigint language plpgsql immutable strict parallel safe as $$
begin
  return case when $1 between -9223372036854775808 and 9223372036854775807 then $1::bigint end;
end
$$;

-- Null for a decimal beyond the bounds of `evaluate/bounds.ts`.
create or replace function cadastre_bounded(numeric) returns numeric language plpgsql immutable strict parallel safe as $$
begin
  return case when abs($1) < numeric '1e50000' then $1 end;
end
$$;

-- The operations on two decimals return null if one of them is too large for the server to compute
-- with.
create or replace function cadastre_sum(numeric, numeric) returns numeric language plpgsql immutable strict parallel safe as $$
begin
  if abs($1) < numeric '1e50000' and abs($2) < numeric '1e50000' then return cadastre_bounded($1 + $2); end if;
  return null;
end
$$;

create or replace function cadastre_difference(numeric, numeric) returns numeric language plpgsql immutable strict parallel safe as $$
begin
  if abs($1) < numeric '1e50000' and abs($2) < numeric '1e50000' then return cadastre_bounded($1 - $2); end if;
  return null;
end
$$;

create or replace function cadastre_remainder(numeric, numeric) returns numeric language plpgsql immutable strict parallel safe as $$
begin
  if abs($1) < numeric '1e50000' and abs($2) < numeric '1e50000' then return cadastre_bounded(mod($1, nullif($2, 0))); end if;
  return null;
end
$$;

-- The quotient, with twenty digits after the point, truncated.
create or replace function cadastre_quotient(numeric, numeric) returns numeric language plpgsql immutable strict parallel safe as $$
begin
  if abs($1) < numeric '1e50000' and abs($2) < numeric '1e50000' then return cadastre_bounded(div($1 * 100000000000000000000, nullif($2, 0)) * 0.00000000000000000001); end if;
  return null;
end
$$;

-- The integral part of the result.
create or replace function cadastre_whole_product(numeric, numeric) returns numeric language plpgsql immutable strict parallel safe as $$
begin
  if abs($1) < numeric '1e50000' and abs($2) < numeric '1e50000' then return cadastre_bounded(trunc($1 * $2)); end if;
  return null;
end
$$;

create or replace function cadastre_whole_quotient(numeric, numeric) returns numeric language plpgsql immutable strict parallel safe as $$
begin
  if abs($1) < numeric '1e50000' and abs($2) < numeric '1e50000' then return cadastre_bounded(div($1, nullif($2, 0))); end if;
  return null;
end
$$;

create or replace function cadastre_exact_product(numeric, numeric) returns numeric language plpgsql immutable strict parallel safe as $$
begin
  if abs($1) < numeric '1e50000' and abs($2) < numeric '1e50000' then return cadastre_bounded($1 * $2); end if;
  return null;
end
$$;

-- The server rounds a product to 16,383 digits after the point, so longer products are null.
create or replace function cadastre_product(numeric, numeric) returns numeric language plpgsql immutable strict parallel safe as $$
begin
  if scale($1) + scale($2) > 16383 and min_scale($1) + min_scale($2) > 16383 then return null; end if;
  return cadastre_exact_product($1, $2);
end
$$;

-- The decimal with a double's shortest text, including infinity. The server's own text is not
-- always the shortest: it avoids texts that lie halfway between two doubles.
create or replace function cadastre_number(float8) returns numeric language plpgsql immutable strict parallel safe as $$
declare
  given constant numeric := $1::text::numeric;
  place int;
begin
  if given = 0 or abs(given) = 'Infinity' or given = 'NaN' or abs(given) < 1e14 and scale(given) < 2 then
    return given;
  end if;
  -- digits after the point of a number with fifteen digits
  place := 14 - floor(log(abs(given)))::int;
  if cadastre_double(round(given, place)) = $1 then return trim_scale(round(given, place)); end if;
  if cadastre_double(round(given, place + 1)) = $1 then return trim_scale(round(given, place + 1)); end if;
  return given;
end
$$;

create or replace function cadastre_decimal(float8) returns numeric language plpgsql immutable strict parallel safe as $$
begin
  return case when abs($1) < 'Infinity' then cadastre_number($1) end;
end
$$;

-- True if a number converted to another type keeps its value.
create or replace function cadastre_same(numeric, numeric) returns boolean language sql immutable parallel safe as $$
  select coalesce($1 = $2, false)
$$;
