import { useQueryClient } from "@tanstack/react-query";
import { WifiOff } from "lucide-react";
import { useEffect, useSyncExternalStore } from "react";
import { onReached, wasReached } from "../api/reached.js";

/** How often an unreachable service is asked again. */
const AGAIN_MS = 5000;

/** Says that the service cannot be reached, and tries again. The page stays as it is. */
export function Offline() {
  const client = useQueryClient();
  const reached = useSyncExternalStore(onReached, wasReached);
  useEffect(() => {
    const again = () => void client.refetchQueries({ queryKey: ["session"] });
    window.addEventListener("offline", again);
    window.addEventListener("online", again);
    return () => {
      window.removeEventListener("offline", again);
      window.removeEventListener("online", again);
    };
  }, [client]);
  useEffect(() => {
    if (reached) return;
    const timer = setInterval(
      () => void client.refetchQueries({ queryKey: ["session"] }),
      AGAIN_MS,
    );
    return () => {
      clearInterval(timer);
      // Whatever was missed meanwhile is loaded now.
      void client.invalidateQueries();
    };
  }, [client, reached]);
  if (reached) return null;
  return (
    <p
      role="status"
      className="sticky top-0 z-40 flex flex-wrap items-center justify-center gap-x-2 bg-warn px-4 py-1.5 text-sm text-card"
    >
      <WifiOff aria-hidden size={16} className="shrink-0" />
      <strong className="font-semibold">No connection.</strong> You see what was loaded last. The
      page tries again every few seconds.
    </p>
  );
}
