create table `listing` (
  `ListingKey` string,
  `ListPrice` numeric(16, 4),
  `Changed` timestamp,
  `Cooling` array<string>,
  `Later` int64,
  `OriginatingSystemName` string
);
load data into `listing` from files (
  format = 'PARQUET', enable_list_inference = true,
  uris = ['gs://exports/deliveries/d/listing-00012.parquet', 'gs://exports/deliveries/d/listing-00049.parquet']
);

create table `media_assets` (
  `MediaAssetId` string,
  `Bytes` int64
);
load data into `media_assets` from files (
  format = 'PARQUET', enable_list_inference = true,
  uris = ['gs://exports/deliveries/d/media_assets-00086.parquet']
);
