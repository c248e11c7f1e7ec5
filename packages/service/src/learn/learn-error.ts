/** Invalid description of a source. The message says where it is wrong and what to do. */
export class LearnError extends Error {
  override readonly name = "LearnError";
}
