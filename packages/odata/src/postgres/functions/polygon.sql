-- Functions over GeoJSON polygons. They call those of `geo.sql`.

-- Precomputes a ring, independently of the point. The array holds: the number of edges n; the
-- middle (3 numbers) and the radius of a cap around it (infinite if there is none); the area (only
-- without a cap); then, in arrays of n numbers each: the coordinates x, y, z of the edges' start
-- points, the components of the edges' normals, and the lengths of these. Null if the ring is
-- invalid.
create or replace function cadastre_geo_ring(ring jsonb) returns float8[]
language plpgsql immutable strict parallel safe as $$
declare
  vx float8[] := '{}'; vy float8[] := '{}'; vz float8[] := '{}';
  lx float8[] := '{}'; ly float8[] := '{}'; lz float8[] := '{}'; ll float8[] := '{}';
  n int := 0;
  place float8[];
  item jsonb;
  j int;
  area float8 := 0;
  size float8; radius float8 := 0;
  ax float8; ay float8; az float8; qx float8; qy float8; qz float8; cx float8; cy float8; cz float8;
  x float8; y float8; z float8;
begin
  if jsonb_typeof(ring) <> 'array' then return null; end if;
  for item in select value from jsonb_array_elements(ring) loop
    place := cadastre_geo_place(item);
    if place is null then return null; end if;
    x := cos(radians(place[2])) * cos(radians(place[1]));
    y := cos(radians(place[2])) * sin(radians(place[1]));
    z := sin(radians(place[2]));
    if n = 0 or sqrt((x - vx[n]) ^ 2 + (y - vy[n]) ^ 2 + (z - vz[n]) ^ 2) > 1e-14 then
      n := n + 1;
      vx[n] := x; vy[n] := y; vz[n] := z;
    end if;
  end loop;
  if n > 1 and sqrt((vx[1] - vx[n]) ^ 2 + (vy[1] - vy[n]) ^ 2 + (vz[1] - vz[n]) ^ 2) <= 1e-14 then n := n - 1; end if;

  cx := 0; cy := 0; cz := 0;
  for i in 1..n loop
    j := i % n + 1;
    ax := vx[i]; ay := vy[i]; az := vz[i];
    qx := vx[j] - ax; qy := vy[j] - ay; qz := vz[j] - az;
    if sqrt((ax + vx[j]) ^ 2 + (ay + vy[j]) ^ 2 + (az + vz[j]) ^ 2) < 1e-9 then return null; end if;
    lx[i] := ay * qz - az * qy; ly[i] := az * qx - ax * qz; lz[i] := ax * qy - ay * qx;
    ll[i] := sqrt(lx[i] ^ 2 + ly[i] ^ 2 + lz[i] ^ 2);
    cx := cx + ax; cy := cy + ay; cz := cz + az;
  end loop;

  size := sqrt(cx * cx + cy * cy + cz * cz);
  if size >= 1e-9 then
    cx := cx / size; cy := cy / size; cz := cz / size;
    for i in 1..n loop
      radius := greatest(radius, sqrt((vx[i] - cx) ^ 2 + (vy[i] - cy) ^ 2 + (vz[i] - cz) ^ 2));
    end loop;
  end if;
  if size < 1e-9 or radius >= sqrt(2::float8) - 1e-9 then
    radius := 'Infinity';
    for i in 2..n - 1 loop
      qx := vx[i] - vx[1]; qy := vy[i] - vy[1]; qz := vz[i] - vz[1];
      x := vx[i + 1] - vx[1]; y := vy[i + 1] - vy[1]; z := vz[i + 1] - vz[1];
      area := area + 2 * atan2(
        vx[1] * (qy * z - qz * y) + vy[1] * (qz * x - qx * z) + vz[1] * (qx * y - qy * x),
        1 + vx[1] * vx[i] + vy[1] * vy[i] + vz[1] * vz[i] + vx[i] * vx[i + 1] + vy[i] * vy[i + 1] + vz[i] * vz[i + 1]
          + vx[i + 1] * vx[1] + vy[i + 1] * vy[1] + vz[i + 1] * vz[1]);
    end loop;
    area := area - 4 * pi() * floor(area / (4 * pi()));
  end if;
  return array[n, cx, cy, cz, radius, area] || vx[1:n] || vy[1:n] || vz[1:n] || lx || ly || lz || ll;
end
$$;

-- The rings of a polygon, concatenated. For a constant it is computed once, when the statement is
-- planned.
create or replace function cadastre_geo_rings(polygon jsonb) returns float8[]
language plpgsql immutable strict parallel safe as $$
declare
  rings float8[] := '{}';
  item jsonb;
  ring float8[];
begin
  if polygon ->> 'type' is distinct from 'Polygon' or jsonb_typeof(polygon -> 'coordinates') is distinct from 'array' then
    return null;
  end if;
  for item in select value from jsonb_array_elements(polygon -> 'coordinates') with ordinality as r(value, i) order by i loop
    ring := cadastre_geo_ring(item);
    if ring is null then return null; end if;
    rings := rings || ring;
  end loop;
  return rings;
end
$$;

-- Equivalent of `sideOf` in `geodesy/ring.ts`, for the ring that begins at index `start` of
-- `rings`: 1 inside, 0 on the boundary, -1 outside.
create or replace function cadastre_geo_side(rings float8[], start int, px float8, py float8, pz float8) returns int
language plpgsql immutable strict parallel safe as $$
declare
  tolerance constant float8 := 1e-12;
  n constant int := rings[start];
  cx constant float8 := rings[start + 1];
  cy constant float8 := rings[start + 2];
  cz constant float8 := rings[start + 3];
  radius constant float8 := rings[start + 4];
  area constant float8 := rings[start + 5];
  capped constant boolean := radius < 'Infinity';
  vx float8[]; vy float8[]; vz float8[]; lx float8[]; ly float8[]; lz float8[]; ll float8[];
  j int := start + 6;
  target int := 1;
  score float8;
  best float8 := -1;
  size float8;
  ax float8; ay float8; az float8; qx float8; qy float8; qz float8;
  x float8; y float8; z float8; mx float8; my float8; mz float8; wx float8; wy float8; wz float8;
  s float8; t float8;
  is_left boolean;
begin
  if capped and sqrt((px - cx) ^ 2 + (py - cy) ^ 2 + (pz - cz) ^ 2) > radius + 2 * tolerance then return -1; end if;
  vx := rings[j : j + n - 1]; vy := rings[j + n : j + 2 * n - 1]; vz := rings[j + 2 * n : j + 3 * n - 1];
  lx := rings[j + 3 * n : j + 4 * n - 1]; ly := rings[j + 4 * n : j + 5 * n - 1]; lz := rings[j + 5 * n : j + 6 * n - 1];
  ll := rings[j + 6 * n : j + 7 * n - 1];

  for i in 1..n loop
    j := i % n + 1;
    ax := px - vx[i]; ay := py - vy[i]; az := pz - vz[i];
    qx := px - vx[j]; qy := py - vy[j]; qz := pz - vz[j];
    if ll[i] = 0 then
      if sqrt(ax * ax + ay * ay + az * az) <= tolerance then return 0; end if;
    elsif abs(lx[i] * ax + ly[i] * ay + lz[i] * az) <= tolerance * ll[i]
      and (ly[i] * vz[i] - lz[i] * vy[i]) * ax + (lz[i] * vx[i] - lx[i] * vz[i]) * ay
        + (lx[i] * vy[i] - ly[i] * vx[i]) * az >= -tolerance * ll[i]
      and (vy[j] * lz[i] - vz[j] * ly[i]) * qx + (vz[j] * lx[i] - vx[j] * lz[i]) * qy
        + (vx[j] * ly[i] - vy[j] * lx[i]) * qz >= -tolerance * ll[i] then
      return 0;
    end if;
  end loop;
  if n < 3 then return -1; end if;

  if capped then
    -- a way out, to one of two places off the middle's antipodes: the one that is not opposite to the point
    if abs(cz) < 0.5 then ax := cy; ay := -cx; az := 0; else ax := 0; ay := cz; az := -cy; end if;
    size := sqrt(ax * ax + ay * ay + az * az);
    if px * ax + py * ay + pz * az < 0 then size := -size; end if;
    mx := (ax / size - cx) * sqrt(0.5); my := (ay / size - cy) * sqrt(0.5); mz := (az / size - cz) * sqrt(0.5);
    target := 0;
    is_left := false;
  else
    for i in 1..n loop
      j := i % n + 1;
      mx := vx[i] + vx[j]; my := vy[i] + vy[j]; mz := vz[i] + vz[j];
      score := abs(lx[i] * (px - vx[i]) + ly[i] * (py - vy[i]) + lz[i] * (pz - vz[i])) / ll[i]
        * sqrt((py * mz - pz * my) ^ 2 + (pz * mx - px * mz) ^ 2 + (px * my - py * mx) ^ 2);
      if score > best then best := score; target := i; end if;
    end loop;
    j := target % n + 1;
    mx := vx[target] + vx[j]; my := vy[target] + vy[j]; mz := vz[target] + vz[j];
    size := sqrt(mx * mx + my * my + mz * mz);
    mx := mx / size; my := my / size; mz := mz / size;
    is_left := lx[target] * (px - vx[target]) + ly[target] * (py - vy[target]) + lz[target] * (pz - vz[target]) > 0;
  end if;
  ax := mx - px; ay := my - py; az := mz - pz;
  wx := py * az - pz * ay; wy := pz * ax - px * az; wz := px * ay - py * ax;
  for i in 1..n loop
    j := i % n + 1;
    s := wx * (vx[i] - px) + wy * (vy[i] - py) + wz * (vz[i] - pz);
    t := wx * (vx[j] - px) + wy * (vy[j] - py) + wz * (vz[j] - pz);
    if i <> target and (s >= 0) <> (t >= 0) then
      s := abs(s) / (abs(s) + abs(t));
      x := vx[i] + (vx[j] - vx[i]) * s; y := vy[i] + (vy[j] - vy[i]) * s; z := vz[i] + (vz[j] - vz[i]) * s;
      if (wy * pz - wz * py) * (x - px) + (wz * px - wx * pz) * (y - py) + (wx * py - wy * px) * (z - pz) > 0
        and (my * wz - mz * wy) * (x - mx) + (mz * wx - mx * wz) * (y - my) + (mx * wy - my * wx) * (z - mz) > 0 then
        is_left := not is_left;
      end if;
    end if;
  end loop;
  return case when is_left = (area <= 2 * pi() + 1e-9) then 1 else -1 end;
end
$$;

create or replace function cadastre_geo_inside(point jsonb, rings float8[]) returns boolean
language plpgsql immutable strict parallel safe as $$
declare
  place constant float8[] := cadastre_geo_place(point -> 'coordinates');
  last constant int := cardinality(rings);
  start int := 1;
  inside boolean;
  side int;
  x float8;
  y float8;
  z float8;
begin
  if place is null or point ->> 'type' is distinct from 'Point' then return null; end if;
  x := cos(radians(place[2])) * cos(radians(place[1]));
  y := cos(radians(place[2])) * sin(radians(place[1]));
  z := sin(radians(place[2]));
  while start <= last loop
    side := cadastre_geo_side(rings, start, x, y, z);
    if inside is null then inside := side >= 0;
    elsif side = 1 then inside := false;
    end if;
    start := start + 6 + 7 * rings[start]::int;
  end loop;
  return inside;
end
$$;

-- In plain SQL, which the server inlines: it then computes the rings of a constant in advance.
create or replace function cadastre_geo_intersects(point jsonb, polygon jsonb) returns boolean
language sql immutable strict parallel safe as $$ select cadastre_geo_inside($1, cadastre_geo_rings($2)) $$;
