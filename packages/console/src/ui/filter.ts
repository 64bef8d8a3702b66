import { useNavigate } from "@tanstack/react-router";

/** Whether anything narrows a list. */
export function isNarrowed(search: object): boolean {
  return Object.values(search).some((value) => value !== undefined);
}

/** Changes one part of what this page's address says; an empty one goes. */
export function useSetFilter(): (part: string, value: string | undefined) => void {
  const navigate = useNavigate();
  return (part, value) =>
    void navigate({
      to: ".",
      search: (now: object) => ({ ...now, [part]: value || undefined }),
    } as Parameters<typeof navigate>[0]);
}
