import { corsHeaders } from "./cors.js";

/**
 * Headers of every answer of an open door, as the kernel would add them, for answers given in
 * front of it: name and value in turn, as node:http takes them.
 */
export const OPEN_HEADERS: readonly string[] = [
  "x-content-type-options",
  "nosniff",
  ...corsHeaders("open", undefined).flat(),
];
