-- R*Tree: geo.distance(Place,geography'Point(-97.74 30.27)') le 5000
select "Id" from "home" where ("home"."Id" in (select id from "home_place" where west <= ? and east >= ? and south <= ? and north >= ?) and ("odata_geo_distance_geographypoint_geographypoint"("Place", ?)) <= ?) order by "Id" limit +?
-- [-97.68786310710361,-97.79213689289638,30.315141461056264,30.22485833128587,"{\"type\":\"Point\",\"coordinates\":[-97.74,30.27]}",5000,10]

-- R*Tree: geo.distance(Place,geography'Point(179.99 0)') lt 5000
select "Id" from "home" where ("home"."Id" in (select id from "home_place" where west <= ? and east >= ? and south <= ? and north >= ? union all select id from "home_place" where west <= ? and east >= ? and south <= ? and north >= ?) and ("odata_geo_distance_geographypoint_geographypoint"("Place", ?)) < ?) order by "Id" limit +?
-- [180,179.94493312794864,0.04521848099070858,-0.04521848099070858,-179.96493312794863,-180,0.04521848099070858,-0.04521848099070858,"{\"type\":\"Point\",\"coordinates\":[179.99,0]}",5000,10]

-- R*Tree: geo.distance(Place,geography'Point(-97.74 30.27)') eq null
select "Id" from "home" where ("Place" is null and ("odata_geo_distance_geographypoint_geographypoint"("Place", ?)) is null) order by "Id" limit +?
-- ["{\"type\":\"Point\",\"coordinates\":[-97.74,30.27]}",10]

-- R*Tree: not (geo.distance(Place,geography'Point(-97.74 30.27)') le 5000)
select "Id" from "home" where not coalesce(("odata_geo_distance_geographypoint_geographypoint"("Place", ?)) <= ?, 0) order by "Id" limit +?
-- ["{\"type\":\"Point\",\"coordinates\":[-97.74,30.27]}",5000,10]

-- R*Tree: geo.distance(Place,geography'Point(-97.74 30.27)') lt -1
select "Id" from "home" where (0 and ("odata_geo_distance_geographypoint_geographypoint"("Place", ?)) < ?) order by "Id" limit +?
-- ["{\"type\":\"Point\",\"coordinates\":[-97.74,30.27]}",-1,10]

-- R*Tree: geo.distance(Place,geography'Point(-97.74 30.27)') lt 1e8
select "Id" from "home" where ("odata_geo_distance_geographypoint_geographypoint"("Place", ?)) < ? order by "Id" limit +?
-- ["{\"type\":\"Point\",\"coordinates\":[-97.74,30.27]}",100000000,10]

-- R*Tree: geo.intersects(Place,geography'Polygon((-98 30,-97 30,-97 31,-98 30))')
select "Id" from "home" where ("home"."Id" in (select id from "home_place" where west <= ? and east >= ? and south <= ? and north >= ?) and (("odata_geo_intersects_geographypoint_geographypolygon"("Place", ?)))) order by "Id" limit +?
-- [-96.99999999883336,-98.00000000116664,31.000000000999993,29.999999998999993,"{\"type\":\"Polygon\",\"coordinates\":[[[-98,30],[-97,30],[-97,31],[-98,30]]]}",10]

-- R*Tree: nearest, phase 0
select "Id" from "home" where ("Place" is null and ("odata_geo_distance_geographypoint_geographypoint"("Place", ?)) is null) order by ("odata_geo_distance_geographypoint_geographypoint"("Place", ?)), "Id" limit +?
-- ["{\"type\":\"Point\",\"coordinates\":[-97.74,30.27]}","{\"type\":\"Point\",\"coordinates\":[-97.74,30.27]}",20]

-- R*Tree: nearest, phase 1
select "Id" from "home" where ("home"."Id" in (select id from "home_place" where west <= ? and east >= ? and south <= ? and north >= ?) and ("odata_geo_distance_geographypoint_geographypoint"("Place", ?)) < ?) order by ("odata_geo_distance_geographypoint_geographypoint"("Place", ?)), "Id" limit +?
-- [-97.73478630388279,-97.7452136961172,30.27451416151843,30.265485836404988,"{\"type\":\"Point\",\"coordinates\":[-97.74,30.27]}",500,"{\"type\":\"Point\",\"coordinates\":[-97.74,30.27]}",20]

-- R*Tree: nearest, phase 2
select "Id" from "home" where (("home"."Id" in (select id from "home_place" where west <= ? and east >= ? and south <= ? and north >= ?) and ("odata_geo_distance_geographypoint_geographypoint"("Place", ?)) < ?) and ("odata_geo_distance_geographypoint_geographypoint"("Place", ?)) >= ?) order by ("odata_geo_distance_geographypoint_geographypoint"("Place", ?)), "Id" limit +?
-- [-97.72957261554095,-97.75042738445904,30.279028314221016,30.26097167747266,"{\"type\":\"Point\",\"coordinates\":[-97.74,30.27]}",1000,"{\"type\":\"Point\",\"coordinates\":[-97.74,30.27]}",500,"{\"type\":\"Point\",\"coordinates\":[-97.74,30.27]}",20]

-- two columns: geo.distance(Place,geography'Point(-97.74 30.27)') le 5000
select "Id" from "home" where ("latitude" between ? and ? and ("longitude" between ? and ?) and ("odata_geo_distance_geographypoint_geographypoint"("Place", ?)) <= ?) order by "Id" limit +?
-- [30.22485833128587,30.315141461056264,-97.79213689289638,-97.68786310710361,"{\"type\":\"Point\",\"coordinates\":[-97.74,30.27]}",5000,10]

-- two columns: geo.distance(Place,geography'Point(179.99 0)') lt 5000
select "Id" from "home" where ("latitude" between ? and ? and ("longitude" between ? and ? or "longitude" between ? and ?) and ("odata_geo_distance_geographypoint_geographypoint"("Place", ?)) < ?) order by "Id" limit +?
-- [-0.04521848099070858,0.04521848099070858,179.94493312794864,180,-180,-179.96493312794863,"{\"type\":\"Point\",\"coordinates\":[179.99,0]}",5000,10]

-- two columns: geo.distance(Place,geography'Point(-97.74 30.27)') eq null
select "Id" from "home" where ("latitude" is null and ("odata_geo_distance_geographypoint_geographypoint"("Place", ?)) is null) order by "Id" limit +?
-- ["{\"type\":\"Point\",\"coordinates\":[-97.74,30.27]}",10]

-- two columns: not (geo.distance(Place,geography'Point(-97.74 30.27)') le 5000)
select "Id" from "home" where not coalesce(("odata_geo_distance_geographypoint_geographypoint"("Place", ?)) <= ?, 0) order by "Id" limit +?
-- ["{\"type\":\"Point\",\"coordinates\":[-97.74,30.27]}",5000,10]

-- two columns: geo.distance(Place,geography'Point(-97.74 30.27)') lt -1
select "Id" from "home" where (0 and ("odata_geo_distance_geographypoint_geographypoint"("Place", ?)) < ?) order by "Id" limit +?
-- ["{\"type\":\"Point\",\"coordinates\":[-97.74,30.27]}",-1,10]

-- two columns: geo.distance(Place,geography'Point(-97.74 30.27)') lt 1e8
select "Id" from "home" where ("odata_geo_distance_geographypoint_geographypoint"("Place", ?)) < ? order by "Id" limit +?
-- ["{\"type\":\"Point\",\"coordinates\":[-97.74,30.27]}",100000000,10]

-- two columns: geo.intersects(Place,geography'Polygon((-98 30,-97 30,-97 31,-98 30))')
select "Id" from "home" where ("latitude" between ? and ? and ("longitude" between ? and ?) and (("odata_geo_intersects_geographypoint_geographypolygon"("Place", ?)))) order by "Id" limit +?
-- [29.999999998999993,31.000000000999993,-98.00000000116664,-96.99999999883336,"{\"type\":\"Polygon\",\"coordinates\":[[[-98,30],[-97,30],[-97,31],[-98,30]]]}",10]

-- two columns: nearest, phase 0
select "Id" from "home" where ("latitude" is null and ("odata_geo_distance_geographypoint_geographypoint"("Place", ?)) is null) order by ("odata_geo_distance_geographypoint_geographypoint"("Place", ?)), "Id" limit +?
-- ["{\"type\":\"Point\",\"coordinates\":[-97.74,30.27]}","{\"type\":\"Point\",\"coordinates\":[-97.74,30.27]}",20]

-- two columns: nearest, phase 1
select "Id" from "home" where ("latitude" between ? and ? and ("longitude" between ? and ?) and ("odata_geo_distance_geographypoint_geographypoint"("Place", ?)) < ?) order by ("odata_geo_distance_geographypoint_geographypoint"("Place", ?)), "Id" limit +?
-- [30.265485836404988,30.27451416151843,-97.7452136961172,-97.73478630388279,"{\"type\":\"Point\",\"coordinates\":[-97.74,30.27]}",500,"{\"type\":\"Point\",\"coordinates\":[-97.74,30.27]}",20]

-- two columns: nearest, phase 2
select "Id" from "home" where (("latitude" between ? and ? and ("longitude" between ? and ?) and ("odata_geo_distance_geographypoint_geographypoint"("Place", ?)) < ?) and ("odata_geo_distance_geographypoint_geographypoint"("Place", ?)) >= ?) order by ("odata_geo_distance_geographypoint_geographypoint"("Place", ?)), "Id" limit +?
-- [30.26097167747266,30.279028314221016,-97.75042738445904,-97.72957261554095,"{\"type\":\"Point\",\"coordinates\":[-97.74,30.27]}",1000,"{\"type\":\"Point\",\"coordinates\":[-97.74,30.27]}",500,"{\"type\":\"Point\",\"coordinates\":[-97.74,30.27]}",20]

-- GiST of points: geo.distance(Place,geography'Point(-97.74 30.27)') le 5000
select "Id" from "home" where ((cadastre_geo_point("Place") <@ box(point($1::float8, $2::float8), point($3::float8, $4::float8))) and (cadastre_geo_distance("Place", $5::jsonb)) <= $6::float8) order by "Id" asc limit $7
-- [-97.79213689289638,30.22485833128587,-97.68786310710361,30.315141461056264,"{\"type\":\"Point\",\"coordinates\":[-97.74,30.27]}",5000,10]

-- GiST of points: geo.distance(Place,geography'Point(179.99 0)') lt 5000
select "Id" from "home" where ((cadastre_geo_point("Place") <@ box(point($1::float8, $2::float8), point($3::float8, $4::float8)) or cadastre_geo_point("Place") <@ box(point($5::float8, $6::float8), point($7::float8, $8::float8))) and (cadastre_geo_distance("Place", $9::jsonb)) < $10::float8) order by "Id" asc limit $11
-- [179.94493312794864,-0.04521848099070858,180,0.04521848099070858,-180,-0.04521848099070858,-179.96493312794863,0.04521848099070858,"{\"type\":\"Point\",\"coordinates\":[179.99,0]}",5000,10]

-- GiST of points: geo.distance(Place,geography'Point(-97.74 30.27)') eq null
select "Id" from "home" where (cadastre_geo_point("Place") is null and (cadastre_geo_distance("Place", $1::jsonb)) is null) order by "Id" asc limit $2
-- ["{\"type\":\"Point\",\"coordinates\":[-97.74,30.27]}",10]

-- GiST of points: not (geo.distance(Place,geography'Point(-97.74 30.27)') le 5000)
select "Id" from "home" where not coalesce((cadastre_geo_distance("Place", $1::jsonb)) <= $2::float8, false) order by "Id" asc limit $3
-- ["{\"type\":\"Point\",\"coordinates\":[-97.74,30.27]}",5000,10]

-- GiST of points: geo.distance(Place,geography'Point(-97.74 30.27)') lt -1
select "Id" from "home" where (false and (cadastre_geo_distance("Place", $1::jsonb)) < $2::float8) order by "Id" asc limit $3
-- ["{\"type\":\"Point\",\"coordinates\":[-97.74,30.27]}",-1,10]

-- GiST of points: geo.distance(Place,geography'Point(-97.74 30.27)') lt 1e8
select "Id" from "home" where (cadastre_geo_distance("Place", $1::jsonb)) < $2::float8 order by "Id" asc limit $3
-- ["{\"type\":\"Point\",\"coordinates\":[-97.74,30.27]}",100000000,10]

-- GiST of points: geo.intersects(Place,geography'Polygon((-98 30,-97 30,-97 31,-98 30))')
select "Id" from "home" where ((cadastre_geo_point("Place") <@ box(point($1::float8, $2::float8), point($3::float8, $4::float8))) and ((cadastre_geo_intersects("Place", $5::jsonb)))) order by "Id" asc limit $6
-- [-98.00000000116664,29.999999998999993,-96.99999999883336,31.000000000999993,"{\"type\":\"Polygon\",\"coordinates\":[[[-98,30],[-97,30],[-97,31],[-98,30]]]}",10]

-- GiST of points: nearest, phase 0
select "Id" from "home" where (cadastre_geo_point("Place") is null and (cadastre_geo_distance("Place", $1::jsonb)) is null) order by (cadastre_geo_distance("Place", $2::jsonb)) asc nulls first, "Id" asc limit $3
-- ["{\"type\":\"Point\",\"coordinates\":[-97.74,30.27]}","{\"type\":\"Point\",\"coordinates\":[-97.74,30.27]}",20]

-- GiST of points: nearest, phase 1
select "Id" from "home" where ((cadastre_geo_point("Place") <@ box(point($1::float8, $2::float8), point($3::float8, $4::float8))) and (cadastre_geo_distance("Place", $5::jsonb)) < $6::float8) order by (cadastre_geo_distance("Place", $7::jsonb)) asc nulls first, "Id" asc limit $8
-- [-97.7452136961172,30.265485836404988,-97.73478630388279,30.27451416151843,"{\"type\":\"Point\",\"coordinates\":[-97.74,30.27]}",500,"{\"type\":\"Point\",\"coordinates\":[-97.74,30.27]}",20]

-- GiST of points: nearest, phase 2
select "Id" from "home" where (((cadastre_geo_point("Place") <@ box(point($1::float8, $2::float8), point($3::float8, $4::float8))) and (cadastre_geo_distance("Place", $5::jsonb)) < $6::float8) and (cadastre_geo_distance("Place", $7::jsonb)) >= $8::float8) order by (cadastre_geo_distance("Place", $9::jsonb)) asc nulls first, "Id" asc limit $10
-- [-97.75042738445904,30.26097167747266,-97.72957261554095,30.279028314221016,"{\"type\":\"Point\",\"coordinates\":[-97.74,30.27]}",1000,"{\"type\":\"Point\",\"coordinates\":[-97.74,30.27]}",500,"{\"type\":\"Point\",\"coordinates\":[-97.74,30.27]}",20]

-- PostGIS: geo.distance(Place,geography'Point(-97.74 30.27)') le 5000
select "Id" from "home" where (("geometry" && ST_MakeEnvelope($1::float8, $2::float8, $3::float8, $4::float8, 4326)) and (cadastre_geo_distance("Place", $5::jsonb)) <= $6::float8) order by "Id" asc limit $7
-- [-97.79213689289638,30.22485833128587,-97.68786310710361,30.315141461056264,"{\"type\":\"Point\",\"coordinates\":[-97.74,30.27]}",5000,10]

-- PostGIS: geo.distance(Place,geography'Point(179.99 0)') lt 5000
select "Id" from "home" where (("geometry" && ST_MakeEnvelope($1::float8, $2::float8, $3::float8, $4::float8, 4326) or "geometry" && ST_MakeEnvelope($5::float8, $6::float8, $7::float8, $8::float8, 4326)) and (cadastre_geo_distance("Place", $9::jsonb)) < $10::float8) order by "Id" asc limit $11
-- [179.94493312794864,-0.04521848099070858,180,0.04521848099070858,-180,-0.04521848099070858,-179.96493312794863,0.04521848099070858,"{\"type\":\"Point\",\"coordinates\":[179.99,0]}",5000,10]

-- PostGIS: geo.distance(Place,geography'Point(-97.74 30.27)') eq null
select "Id" from "home" where ("geometry" is null and (cadastre_geo_distance("Place", $1::jsonb)) is null) order by "Id" asc limit $2
-- ["{\"type\":\"Point\",\"coordinates\":[-97.74,30.27]}",10]

-- PostGIS: not (geo.distance(Place,geography'Point(-97.74 30.27)') le 5000)
select "Id" from "home" where not coalesce((cadastre_geo_distance("Place", $1::jsonb)) <= $2::float8, false) order by "Id" asc limit $3
-- ["{\"type\":\"Point\",\"coordinates\":[-97.74,30.27]}",5000,10]

-- PostGIS: geo.distance(Place,geography'Point(-97.74 30.27)') lt -1
select "Id" from "home" where (false and (cadastre_geo_distance("Place", $1::jsonb)) < $2::float8) order by "Id" asc limit $3
-- ["{\"type\":\"Point\",\"coordinates\":[-97.74,30.27]}",-1,10]

-- PostGIS: geo.distance(Place,geography'Point(-97.74 30.27)') lt 1e8
select "Id" from "home" where (cadastre_geo_distance("Place", $1::jsonb)) < $2::float8 order by "Id" asc limit $3
-- ["{\"type\":\"Point\",\"coordinates\":[-97.74,30.27]}",100000000,10]

-- PostGIS: geo.intersects(Place,geography'Polygon((-98 30,-97 30,-97 31,-98 30))')
select "Id" from "home" where (("geometry" && ST_MakeEnvelope($1::float8, $2::float8, $3::float8, $4::float8, 4326)) and ((cadastre_geo_intersects("Place", $5::jsonb)))) order by "Id" asc limit $6
-- [-98.00000000116664,29.999999998999993,-96.99999999883336,31.000000000999993,"{\"type\":\"Polygon\",\"coordinates\":[[[-98,30],[-97,30],[-97,31],[-98,30]]]}",10]

-- PostGIS: nearest, phase 0
select "Id" from "home" where ("geometry" is null and (cadastre_geo_distance("Place", $1::jsonb)) is null) order by (cadastre_geo_distance("Place", $2::jsonb)) asc nulls first, "Id" asc limit $3
-- ["{\"type\":\"Point\",\"coordinates\":[-97.74,30.27]}","{\"type\":\"Point\",\"coordinates\":[-97.74,30.27]}",20]

-- PostGIS: nearest, phase 1
select "Id" from "home" where (("geometry" && ST_MakeEnvelope($1::float8, $2::float8, $3::float8, $4::float8, 4326)) and (cadastre_geo_distance("Place", $5::jsonb)) < $6::float8) order by (cadastre_geo_distance("Place", $7::jsonb)) asc nulls first, "Id" asc limit $8
-- [-97.7452136961172,30.265485836404988,-97.73478630388279,30.27451416151843,"{\"type\":\"Point\",\"coordinates\":[-97.74,30.27]}",500,"{\"type\":\"Point\",\"coordinates\":[-97.74,30.27]}",20]

-- PostGIS: nearest, phase 2
select "Id" from "home" where ((("geometry" && ST_MakeEnvelope($1::float8, $2::float8, $3::float8, $4::float8, 4326)) and (cadastre_geo_distance("Place", $5::jsonb)) < $6::float8) and (cadastre_geo_distance("Place", $7::jsonb)) >= $8::float8) order by (cadastre_geo_distance("Place", $9::jsonb)) asc nulls first, "Id" asc limit $10
-- [-97.75042738445904,30.26097167747266,-97.72957261554095,30.279028314221016,"{\"type\":\"Point\",\"coordinates\":[-97.74,30.27]}",1000,"{\"type\":\"Point\",\"coordinates\":[-97.74,30.27]}",500,"{\"type\":\"Point\",\"coordinates\":[-97.74,30.27]}",20]
