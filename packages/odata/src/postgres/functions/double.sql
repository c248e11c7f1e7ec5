-- IEEE 754 arithmetic without errors: the server's own operators raise one on overflow and
-- underflow.

-- Returns the exact value of a finite double: an integer times a power of two.
create or replace function cadastre_exact(float8) returns numeric language plpgsql immutable strict parallel safe as $$
declare
  k int;
  whole numeric;
begin
  if $1 = 0 then return 0; end if;
  k := 54 - floor(ln(abs($1)) / ln(2::float8))::int;
  whole := ($1 * power(2::float8, k / 2) * power(2::float8, k - k / 2))::bigint;
  return case when k <= 0 then whole * power(2::numeric, -k)
    else whole * power(5::numeric, k) * ('1e-' || k)::numeric end;
end
$$;

-- Rounds to the nearest double.
create or replace function cadastre_double(numeric) returns float8 language plpgsql immutable strict parallel safe as $$
begin
  if abs($1) between 1e-300 and 1e300 then return $1::float8; end if;
  if abs($1) >= numeric '${tooGreat}' then
    return case when $1 < 0 then '-Infinity' when $1 < 'NaN' then 'Infinity' end;
  end if;
  if abs($1) <= numeric '${tooSmall}' then return case when $1 < 0 then float8 '-0' else 0 end; end if;
  return $1::float8;
end
$$;

-- Rounds to the nearest single and returns it as a double.
create or replace function cadastre_single(float8) returns float8 language plpgsql immutable strict parallel safe as $$
begin
  if abs($1) >= float8 '340282356779733661637539395458142568448' then
    return case when $1 < 0 then '-Infinity' when $1 < 'NaN' then 'Infinity' end;
  end if;
  if abs($1) <= float8 '7.006492321624085e-46' then return $1 * 0; end if;
  return $1::float4;
end
$$;

create or replace function cadastre_sum(a float8, b float8) returns float8 language plpgsql immutable strict parallel safe as $$
begin
  if abs(a) < 8e307 and abs(b) < 8e307 then return a + b; end if;
  if (a = 0 or abs(a) = 'Infinity' or a = 'NaN') or (b = 0 or abs(b) = 'Infinity' or b = 'NaN') then return nullif(a + b, 'NaN'); end if;
  if (a > 0) = (b > 0) and abs(a) >= 1 and abs(b) >= 1
    and abs(a / 2 + b / 2) > float8 '1.7976931348623157e308' / 2 then return sign(a) * float8 'Infinity'; end if;
  return a + b;
end
$$;

create or replace function cadastre_product(a float8, b float8) returns float8 language plpgsql immutable strict parallel safe as $$
declare
  size numeric;
begin
  if (a = 0 or abs(a) = 'Infinity' or a = 'NaN') or (b = 0 or abs(b) = 'Infinity' or b = 'NaN') then return nullif(a * b, 'NaN'); end if;
  if ln(abs(a)) + ln(abs(b)) between -700 and 700 then return a * b; end if;
  size := abs(cadastre_exact(a) * cadastre_exact(b));
  if size >= numeric '${tooGreat}' then return sign(a) * sign(b) * float8 'Infinity'; end if;
  if size <= numeric '${tooSmall}' then return sign(a) * sign(b) * float8 '0'; end if;
  return a * b;
end
$$;

create or replace function cadastre_quotient(a float8, b float8) returns float8 language plpgsql immutable strict parallel safe as $$
declare
  dividend numeric;
  divisor numeric;
begin
  if b = 0 then
    return case when a <> 0 and a <> 'NaN' then sign(a) * float8 'Infinity' end;
  end if;
  if (a = 0 or abs(a) = 'Infinity' or a = 'NaN') or (b = 0 or abs(b) = 'Infinity' or b = 'NaN') then return nullif(a / b, 'NaN'); end if;
  if ln(abs(a)) - ln(abs(b)) between -700 and 700 then return a / b; end if;
  dividend := abs(cadastre_exact(a));
  divisor := abs(cadastre_exact(b));
  if dividend >= divisor * numeric '${tooGreat}' then return sign(a) * sign(b) * float8 'Infinity'; end if;
  if dividend <= divisor * numeric '${tooSmall}' then return sign(a) * sign(b) * float8 '0'; end if;
  return a / b;
end
$$;

-- The remainder, with the sign of the dividend.
create or replace function cadastre_remainder(a float8, b float8) returns float8 language plpgsql immutable strict parallel safe as $$
declare
  left_over float8;
begin
  if b = 0 or b = 'NaN' or a = 'NaN' or abs(a) = 'Infinity' then return null; end if;
  if a = 0 or abs(b) = 'Infinity' then return a; end if;
  if abs(a) < 9e15 and abs(b) < 9e15 and trunc(a) = a and trunc(b) = b then
    left_over := a::bigint % b::bigint;
  else
    left_over := mod(cadastre_exact(a), cadastre_exact(b))::float8;
  end if;
  return left_over;
end
$$;
