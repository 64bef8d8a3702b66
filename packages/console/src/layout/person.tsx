import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { LogOut } from "lucide-react";
import { endSession, sessionQuery, signOut } from "../session/session.js";
import { forgetPurchases } from "../setup/kept.js";

/** Who is signed in, and the way out. */
export function Person({ onGo }: { readonly onGo?: () => void }) {
  const client = useQueryClient();
  const { data: session } = useQuery(sessionQuery);
  async function leave() {
    await signOut();
    forgetPurchases();
    endSession(client);
  }
  return (
    <div className="flex items-center gap-2 border-t border-line pt-3 text-sm">
      <p className="min-w-0 flex-1 px-3 text-soft">
        Signed in as{" "}
        <Link to="/account" className="link font-medium break-words" onClick={onGo}>
          {session?.name}
        </Link>
        {session?.name !== session?.role && ` (${session?.role})`}
      </p>
      <button
        type="button"
        aria-label="Sign out"
        title="Sign out"
        className="rounded-lg p-2 text-soft hover:bg-line/40"
        onClick={() => void leave()}
      >
        <LogOut aria-hidden size={18} strokeWidth={1.75} />
      </button>
    </div>
  );
}
