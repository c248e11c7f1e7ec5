// Runs TypeScript as it is, in every thread: the `tsx` entry itself leaves worker threads out.
import { register } from "tsx/esm/api";

register();
