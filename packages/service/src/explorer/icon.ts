/** The icon of the service: parcels of land, 32 × 32 pixels, as a PNG image in an ICO file. */
export const icon: Buffer = Buffer.from(
  [
    "AAABAAEAICAAAAEAIACYAAAAFgAAAIlQTkcNChoKAAAADUlIRFIAAAAgAAAAIAgGAAAAc3p69AAAAF9JREFUeNpjYEACEn6R/+mBGdABvSzG6ZAB",
    "dcBAWQ53xKB0AK3A0HMArmAjJE+K+lEHDG0HDHgiHHAHfFhlQxQedcDQdQAhMPwdMJoGRh0w6oCR2yYcWf2C0b7hQHfPAVABV7DxUrKfAAAAAElF",
    "TkSuQmCC",
  ].join(""),
  "base64",
);
