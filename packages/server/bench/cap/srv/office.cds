using { listing } from '../db/schema';

@path: '/odata' @readonly
service Office {
  entity Property as select from listing {
    key id as ListingKey, town as City, price as ListPrice, status as StandardStatus, changed as ModificationTimestamp
  };
}
