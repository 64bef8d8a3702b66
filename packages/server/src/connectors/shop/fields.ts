import { z } from "zod";

const MINOR_MAX = 1_000_000_000_000;

/** Lines of a message, and of its answer. */
export const LINES_MAX = 50;

export const minor = z.int().min(0).max(MINOR_MAX);
export const id = z.string().min(1).max(100);
export const quantity = z.int().min(1);
