import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { LogOut } from "lucide-react";
import { endSession, sessionQuery, signOut } from "../session/session.js";
import { deletePurchases } from "../setup/kept.js";

/** Who is signed in, the way to the account, and the way out. */
export function Person({ onGo }: { readonly onGo?: () => void }) {
  const client = useQueryClient();
  const { data: session } = useQuery(sessionQuery);
  async function leave() {
    await signOut();
    deletePurchases();
    endSession(client);
  }
  return (
    <div className="flex items-center gap-2 text-sm max-md:border-t max-md:border-line max-md:pt-3">
      <p className="min-w-0 flex-1 text-soft max-md:px-3">
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
