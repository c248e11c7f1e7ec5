const repeated =
  "the standard forbids to repeat a system query option, in whatever spelling (OData 4.01 URL Conventions 5.1); the grammar cannot say so";

/** Cases of the suites that are not followed, by rule and input, and why. */
export const disputed: Readonly<Record<string, string>> = {
  "queryOptions: $format=json&$Format=atom&$format=xml&$format=text/html": repeated,
  "queryOptions: $format=JSON&$format=Atom&$format=XML&$format=text/html": repeated,
};
