create temporary stage cadastre_delivery url = 's3://exports/deliveries/d/'; -- with credentials or a storage_integration
create temporary file format cadastre_format type = parquet use_logical_type = true;

create table "listing" (
  "ListingKey" varchar,
  "ListPrice" number(16,4),
  "Changed" timestamp_tz,
  "Cooling" variant,
  "Later" number(19,0),
  "OriginatingSystemName" varchar,
  primary key ("ListingKey")
);
copy into "listing" from @cadastre_delivery pattern = '.*/?listing-[0-9]+[.]parquet'
  file_format = (format_name = 'cadastre_format') match_by_column_name = case_sensitive on_error = abort_statement;

create table "media_assets" (
  "MediaAssetId" varchar,
  "Bytes" number(19,0),
  primary key ("MediaAssetId")
);
copy into "media_assets" from @cadastre_delivery pattern = '.*/?media_assets-[0-9]+[.]parquet'
  file_format = (format_name = 'cadastre_format') match_by_column_name = case_sensitive on_error = abort_statement;
