import { useNavigate } from "@tanstack/react-router";

/** Whether a filter is set. */
export function isNarrowed(search: object): boolean {
  return Object.values(search).some((value) => value !== undefined);
}

/** Changes one parameter of the address. An empty value removes it. */
export function useSetFilter(): (part: string, value: string | undefined) => void {
  const navigate = useNavigate();
  return (part, value) =>
    void navigate({
      to: ".",
      search: (now: object) => ({ ...now, [part]: value || undefined }),
      hash: true,
      hashScrollIntoView: false,
    } as Parameters<typeof navigate>[0]);
}
