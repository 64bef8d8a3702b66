import type { Api } from "../api/client.js";
import { Snippet } from "../ui/id.js";
import { Notice } from "../ui/notice.js";

interface InvitationProps {
  readonly name: string;
  readonly link: Api["PersonLink"] | undefined;
  /** Whether the person has signed in before. */
  readonly joined?: boolean;
}

/** The result of an invitation: it was sent by email, or there is a link to share. */
export function Invitation({ name, link, joined = false }: InvitationProps) {
  if (link === undefined) return <Notice>{name} can sign in and now has access.</Notice>;
  if (link.url === undefined && link.mail_problem === undefined) {
    return (
      <Notice>
        We sent {joined ? "a sign-in link" : "an invitation"} to {name}.
      </Notice>
    );
  }
  return (
    <>
      {link.mail_problem !== undefined && (
        <Notice bad>The email could not be sent: {link.mail_problem}.</Notice>
      )}
      {link.url !== undefined && (
        <>
          <Notice>
            Send this link to {name}. It works once within 7 days and is not shown again.
          </Notice>
          <Snippet label="link" text={link.url} />
        </>
      )}
    </>
  );
}
