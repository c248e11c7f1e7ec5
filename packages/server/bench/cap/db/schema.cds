entity listing { key id : String; town : String; price : Integer; status : String; changed : Timestamp; }
