import { z } from "zod";

const MINOR_MAX = 1_000_000_000_000;

/** Lines of a message, and of its answer. */
export const LINES_MAX = 50;

export const minor = z.int().min(0).max(MINOR_MAX);
export const id = z.string().min(1).max(100);
export const quantity = z.int().min(1);

/** The SHA-256 of a secret text, in base64url. */
export const CHALLENGE = /^[\w-]{43}$/;
/** The secret text. */
export const VERIFIER = /^[\w.~-]{43,128}$/;
