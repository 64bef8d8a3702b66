import { useMutation, useQueryClient } from "@tanstack/react-query";

/** Changes something, then reloads everything with these topics. */
export function useSave<Input = void, Output = unknown>(
  save: (input: Input) => Promise<Output>,
  ...topics: readonly string[]
) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: save,
    onSuccess: async () => {
      await Promise.all(topics.map((topic) => client.invalidateQueries({ queryKey: [topic] })));
    },
  });
}
