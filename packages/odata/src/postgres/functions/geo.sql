-- Functions over GeoJSON in plain PL/pgSQL, for servers with or without PostGIS.

-- Longitude (modulo 360) and latitude of a GeoJSON position; null if it is not on earth.
create or replace function cadastre_geo_place(jsonb) returns float8[] language sql immutable strict parallel safe as $$
  select case when jsonb_typeof($1 -> 0) = 'number' and jsonb_typeof($1 -> 1) = 'number' then
    case when abs(($1 -> 1)::numeric) <= 90 then
      -- no double has more digits that matter, and one with fewer is no error
      array[round(mod(($1 -> 0)::numeric, 360), 30)::float8, round(($1 -> 1)::numeric, 30)::float8] end end
$$;

-- Rounds an angle in degrees as GeographicLib does: below a sixteenth of a degree, to a multiple of
-- 2^-57. Thereby positions less than a third of a picometre apart are the same on every engine.
create or replace function cadastre_geo_angle(float8) returns float8 language sql immutable strict parallel safe as $$
  select case when abs($1) < 0.0625::float8 then sign($1) * (0.0625::float8 - (0.0625::float8 - abs($1))) else $1 end
$$;

-- Distance by Vincenty's formulae, to a fraction of a millimetre; null if they do not converge,
-- near antipodes.
create or replace function cadastre_geo_arc(one float8[], other float8[]) returns float8
language plpgsql immutable strict parallel safe as $$
declare
  f constant float8 := 1 / 298.257223563;
  a constant float8 := 6378137;
  b constant float8 := a * (1 - f);
  latitude1 constant float8 := cadastre_geo_angle(one[2]);
  latitude2 constant float8 := cadastre_geo_angle(other[2]);
  s1 float8 := (1 - f) * sin(radians(latitude1));
  -- a pole is one place, whatever its longitude
  c1 float8 := case when abs(latitude1) = 90 then 0 else cos(radians(latitude1)) end;
  s2 float8 := (1 - f) * sin(radians(latitude2));
  c2 float8 := case when abs(latitude2) = 90 then 0 else cos(radians(latitude2)) end;
  h1 constant float8 := sqrt(s1 * s1 + c1 * c1);
  h2 constant float8 := sqrt(s2 * s2 + c2 * c2);
  turn float8 := other[1] - one[1];
  l float8;
  lambda float8;
  before float8;
  u float8;
  v float8;
  sin_sigma float8;
  cos_sigma float8;
  sigma float8;
  sin_alpha float8;
  cos2_alpha float8;
  m float8;
  c float8;
  k float8;
  u2 float8;
begin
  s1 := s1 / h1; c1 := c1 / h1; s2 := s2 / h2; c2 := c2 / h2;
  turn := cadastre_geo_angle(turn - 360 * round(turn / 360));
  l := radians(turn);
  lambda := l;
  for i in 1..100 loop
    u := c2 * sin(lambda);
    -- c1 s2 - s1 c2 cos λ, without loss where both places are close together
    v := (c1 * s2 - s1 * c2) + 2 * s1 * c2 * sin(lambda / 2) ^ 2;
    sin_sigma := sqrt(u * u + v * v);
    cos_sigma := s1 * s2 + c1 * c2 * cos(lambda);
    if sin_sigma = 0 and cos_sigma > 0 then return 0; end if;
    sigma := atan2(sin_sigma, cos_sigma);
    sin_alpha := case when sin_sigma = 0 then 0 else c1 * u / sin_sigma end;
    cos2_alpha := 1 - sin_alpha * sin_alpha;
    m := case when cos2_alpha < 1e-15 then 0 else cos_sigma - 2 * s1 * s2 / cos2_alpha end;
    c := f / 16 * cos2_alpha * (4 + f * (4 - 3 * cos2_alpha));
    before := lambda;
    lambda := l + (1 - c) * f * sin_alpha * (sigma + c * sin_sigma * (m + c * cos_sigma * (2 * m * m - 1)));
    if abs(lambda) > pi() then return null; end if;
    if abs(lambda - before) < 1e-14 then
      -- Helmert's expansion parameter
      u2 := sqrt(1 + cos2_alpha * (a * a - b * b) / (b * b));
      k := (u2 - 1) / (u2 + 1);
      c := k * (1 - 3 * k * k / 8);
      return b * (1 + k * k / 4) / (1 - k) * (sigma - c * sin_sigma * (m + c / 4 * (cos_sigma * (2 * m * m - 1)
        - c / 6 * m * (4 * sin_sigma * sin_sigma - 3) * (4 * m * m - 3))));
    end if;
  end loop;
  return null;
end
$$;

-- The point a quarter of the sphere away from another one, in a direction in radians.
create or replace function cadastre_geo_quarter(start float8[], direction float8) returns float8[]
language sql immutable strict parallel safe as $$
  select array[
    start[1] + degrees(atan2(sin(direction), -sin(radians(start[2])) * cos(direction))),
    degrees(asin(greatest(-1, least(1, cos(radians(start[2])) * cos(direction)))))]
$$;

-- Distance in metres between two points. If Vincenty's formulae do not converge, minimises over the
-- detours through a point a quarter of the sphere away, since every path to the antipodes crosses
-- that circle. Beside the equator there are two minima some degrees apart, so that the grid around
-- the best detour is refined before the bisection.
create or replace function cadastre_geo_metres(one float8[], other float8[]) returns float8
language plpgsql immutable strict parallel safe as $$
declare
  found float8 := cadastre_geo_arc(one, other);
  best float8 := 'Infinity';
  best_direction float8 := 0;
  step float8 := pi() / 18;
  directions float8[] := '{}';
  direction float8;
  middle float8[];
  way float8;
begin
  if found is not null then return found; end if;
  for i in 0..35 loop
    directions := directions || (i * step);
  end loop;
  while step > 1e-9 loop
    foreach direction in array directions loop
      middle := cadastre_geo_quarter(one, direction);
      way := cadastre_geo_arc(one, middle) + cadastre_geo_arc(middle, other);
      if way < best then best := way; best_direction := direction; end if;
    end loop;
    step := case when cardinality(directions) > 21 then step / 10 else step / 2 end;
    directions := array[best_direction - step, best_direction + step];
    if step > pi() / 200 then
      for i in 2..10 loop
        directions := directions || array[best_direction - i * step, best_direction + i * step];
      end loop;
    end if;
  end loop;
  return nullif(best, 'Infinity');
end
$$;

-- In PL/pgSQL rather than SQL: the server takes four times as long for a strict SQL function that
-- it cannot inline.
create or replace function cadastre_geo_distance(jsonb, jsonb) returns float8 language plpgsql immutable strict parallel safe as $$
begin
  if $1 ->> 'type' is distinct from 'Point' or $2 ->> 'type' is distinct from 'Point' then return null; end if;
  return cadastre_geo_metres(cadastre_geo_place($1 -> 'coordinates'), cadastre_geo_place($2 -> 'coordinates'));
end
$$;

create or replace function cadastre_geo_length(jsonb) returns float8 language plpgsql immutable strict parallel safe as $$
declare
  total float8 := 0;
  before float8[];
  place float8[];
  item jsonb;
begin
  if $1 ->> 'type' is distinct from 'LineString' or jsonb_typeof($1 -> 'coordinates') is distinct from 'array' then
    return null;
  end if;
  for item in select value from jsonb_array_elements($1 -> 'coordinates') loop
    place := cadastre_geo_place(item);
    if place is null then return null; end if;
    if before is not null then total := total + cadastre_geo_metres(before, place); end if;
    before := place;
  end loop;
  return total;
end
$$;

-- Converts a GeoJSON point to a `point` for a GiST index, with a longitude from -180 to 180; null
-- if distances to it are null.
create or replace function cadastre_geo_point(jsonb) returns point language plpgsql immutable strict parallel safe as $$
declare
  place constant float8[] := cadastre_geo_place($1 -> 'coordinates');
begin
  if place is null or $1 ->> 'type' is distinct from 'Point' then return null; end if;
  return point(place[1] - 360 * round(place[1] / 360), place[2]);
end
$$;

-- Returns GeoJSON of the point at a longitude and latitude; null if they are out of range.
create or replace function cadastre_geo_position(float8, float8) returns jsonb language plpgsql immutable strict parallel safe as $$
begin
  if abs($1) <= 180 and abs($2) <= 90 then
    return jsonb_build_object('type', 'Point', 'coordinates', jsonb_build_array($1, $2));
  end if;
  return null;
end
$$;
