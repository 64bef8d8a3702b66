import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";

/** The last change that failed. Its error disappears when another change begins. */
let lastFailed: { reset(): void } | undefined;

/** Changes something, then reloads everything with these topics. */
export function useSave<Input = void, Output = unknown>(
  save: (input: Input) => Promise<Output>,
  ...topics: readonly string[]
) {
  const client = useQueryClient();
  const own = useRef({ reset: () => {} });
  const mutation = useMutation({
    mutationFn: save,
    onMutate: () => {
      if (lastFailed !== undefined && lastFailed !== own.current) lastFailed.reset();
      lastFailed = undefined;
    },
    onError: () => {
      lastFailed = own.current;
    },
    onSuccess: async () => {
      await Promise.all(topics.map((topic) => client.invalidateQueries({ queryKey: [topic] })));
    },
  });
  own.current.reset = mutation.reset;
  return mutation;
}
