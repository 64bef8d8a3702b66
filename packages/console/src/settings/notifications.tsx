import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { accountQuery } from "../account/account.js";
import { type Api, call } from "../api/client.js";
import { useList } from "../api/list.js";
import { useSave } from "../api/save.js";
import { useMay, useSite } from "../layout/sites.js";
import { sessionQuery } from "../session/session.js";
import { Badge } from "../ui/badge.js";
import { Button } from "../ui/button.js";
import { useDraft } from "../ui/draft.js";
import { Checkbox, Select, TextField } from "../ui/field.js";
import { Form } from "../ui/form.js";
import { type Column, ListView } from "../ui/list-view.js";
import { Failure, Notice } from "../ui/notice.js";
import { SaveMessage } from "../ui/outcome.js";
import { Card, Empty } from "../ui/page.js";
import { HTTPS } from "../ui/problems.js";
import { SaveRow } from "../ui/save-row.js";
import { ShortTime } from "../ui/time.js";
import { choicesOf, countText, titleOf, wordsIn } from "../ui/words.js";
import { notificationsQuery } from "./notify-query.js";

type Message = Api["Message"];
type Tested = { results: { destination: string; delivered: boolean; says: string }[] };

/** How often the messages are reloaded. */
const REFRESH_MS = 5000;
const STATES = choicesOf("waiting", "delivered", "failed");

const WORDING = { webhook_url: HTTPS };
const NO_MAIL =
  "This service cannot send email yet: its operator has to connect a mail server. Until then, enter a webhook, or look under Reviews.";
/** How the webhook is written: for programs, or for the chat that people read. */
const FORMATS = {
  json: "JSON, for programs",
  slack: "Slack or Mattermost",
  ntfy: "ntfy",
};
const FORMAT_HINTS: Readonly<Record<string, string>> = {
  json: "Gatehouse signs each webhook, and tries again for up to 60 hours.",
  slack: "Paste the address of an incoming webhook. Each message has a link to the console.",
  ntfy: "Paste the address of your topic, such as https://ntfy.sh/my-shop. Choose a topic that nobody can guess.",
};

const isNobody = ({ webhook_url, emails }: Api["Notifications"]) =>
  webhook_url === null && emails.length === 0;

/** Why no test can be sent, or whether anything has reached the owner yet. */
function testText(saved: Api["Notifications"], isChanged: boolean) {
  if (isChanged) return "Save your changes first.";
  if (isNobody(saved)) return "Save an email address or a webhook first.";
  return saved.delivered_at === null ? "Nothing has been delivered to you yet." : null;
}

/** The address of the signed-in person, for a shop that notifies nobody yet. */
function useSuggestion(saved: Api["Notifications"]): string {
  const { data: session } = useQuery(sessionQuery);
  const isWanted = saved.mail_available && isNobody(saved) && session?.kind === "person";
  const { data } = useQuery({ ...accountQuery, enabled: isWanted });
  return (isWanted && data?.email) || "";
}

function NotificationPlaces({ saved }: { readonly saved: Api["Notifications"] }) {
  const { path } = useSite();
  const suggestion = useSuggestion(saved);
  const draft = useDraft(
    {
      webhook: saved.webhook_url ?? "",
      format: saved.webhook_format as string,
      emails: saved.emails.join(" ") || suggestion,
      questions: saved.questions,
    },
    { keep: "notifications", secret: ["webhook"] },
  );
  const { webhook, format, emails, questions } = draft.value;
  const separate =
    suggestion === "" ? "" : "This is your address. Save to get notifications there. ";
  const mailHint = saved.mail_available ? `${separate}Separate addresses with spaces.` : NO_MAIL;
  const save = useSave(
    () =>
      call("PUT", `${path}/notifications`, {
        webhook_url: webhook.trim() === "" ? null : webhook.trim(),
        webhook_format: format,
        emails: wordsIn(emails),
        questions,
      }),
    "notifications",
  );
  const test = useSave(
    () => call<Tested>("POST", `${path}/notifications/test`, {}),
    "notifications",
  );
  return (
    <Card title="Where to notify you">
      <Form
        of={save}
        wording={WORDING}
        done="Saved."
        onSubmit={() => save.mutate(undefined, { onSuccess: () => draft.saved(draft.value) })}
        className="flex flex-col gap-3"
      >
        <TextField
          label="Email addresses"
          name="emails"
          hint={mailHint}
          // Addresses that are already there can be removed.
          disabled={!saved.mail_available && saved.emails.length === 0}
          value={emails}
          onChange={({ target }) => draft.set({ emails: target.value })}
        />
        <TextField
          label="Webhook"
          name="webhook_url"
          type="url"
          placeholder="https://shop.example.com/hooks/gatehouse"
          hint={FORMAT_HINTS[format]}
          value={webhook}
          onChange={({ target }) => draft.set({ webhook: target.value })}
        />
        <div className="max-w-xs">
          <Select
            label="Format of the messages"
            name="webhook_format"
            value={format}
            choices={FORMATS}
            onChoose={(chosen) => draft.set({ format: chosen })}
          />
        </div>
        <Checkbox
          label="Notify me about new questions from agents"
          hint="At most one message every 15 minutes, with the number of new questions."
          checked={questions}
          onChange={({ target }) => draft.set({ questions: target.checked })}
        />
        <SaveRow draft={draft} busy={save.isPending} />
        <div className="flex flex-wrap items-center gap-3 text-sm text-soft">
          <Button
            disabled={test.isPending || draft.isChanged || isNobody(saved)}
            onClick={() => test.mutate()}
          >
            Send a test message
          </Button>
          {testText(saved, draft.isChanged)}
        </div>
      </Form>
      {test.isError && <Failure error={test.error} />}
      {test.data?.results.map(({ destination, delivered, says }) => (
        <Notice key={destination} bad={!delivered}>
          {destination}: {says}
        </Notice>
      ))}
    </Card>
  );
}

/** Where an owner is notified, as a form of its own. */
export function NotifyPlaces() {
  const { path } = useSite();
  const query = useQuery(notificationsQuery(path));
  if (query.isError) return <Failure error={query.error} />;
  return query.isSuccess ? <NotificationPlaces saved={query.data} /> : null;
}

function Resend({ message }: { readonly message: Message }) {
  const { path } = useSite();
  const resend = useSave(
    () => call("POST", `${path}/messages/${encodeURIComponent(message.message_id)}/resend`, {}),
    "messages",
  );
  return (
    <span className="flex flex-col items-start gap-1">
      <Button disabled={resend.isPending} onClick={() => resend.mutate()}>
        Resend
      </Button>
      <SaveMessage of={resend} done="Sent again." />
    </span>
  );
}

const COLUMNS: readonly Column<Message>[] = [
  { head: "About", cell: ({ topic }) => titleOf(topic.replaceAll(".", " ")) },
  {
    head: "To",
    cell: ({ kind, audience, destination }) => (
      <span className="break-all">
        {kind === "mail" ? "Email" : "Webhook"} to {audience}: {destination}
      </span>
    ),
  },
  {
    head: "State",
    narrow: "state",
    cell: ({ state, attempts, last_problem }) => (
      <span className="flex flex-col gap-0.5">
        <span>
          <Badge word={state} />{" "}
          <span className="text-soft">{countText(attempts, "try", "tries")}</span>
        </span>
        {last_problem !== null && state !== "delivered" && (
          <span className="break-words text-xs text-soft">{last_problem}</span>
        )}
      </span>
    ),
  },
  { head: "Created", narrow: "time", cell: ({ created_at }) => <ShortTime at={created_at} /> },
  { head: "Action", cell: (message) => <Resend message={message} /> },
];

function Messages() {
  const { path } = useSite();
  const { state } = useSearch({ from: "/shell/$site/settings/$part" });
  const navigate = useNavigate({ from: "/$site/settings/$part" });
  const list = useList<Message>("messages", `${path}/messages`, { state }, REFRESH_MS);
  return (
    <Card title="Messages">
      <div className="max-w-48">
        <Select
          label="State"
          value={state ?? ""}
          choices={{ "": "All", ...STATES }}
          onChoose={(chosen) => void navigate({ search: { state: chosen || undefined } })}
        />
      </div>
      <ListView
        list={list}
        columns={COLUMNS}
        label="Messages"
        keyOf={({ message_id }) => message_id}
        empty={
          <Empty title="No messages" example="Order created · Email to you · delivered">
            <p>
              Messages to you, to platforms and to buyers about reviews, orders and questions appear
              here.
            </p>
          </Empty>
        }
      />
    </Card>
  );
}

/** Where the owner is notified, and the messages that were sent. */
export function NotificationsPart() {
  const { path } = useSite();
  const mayChange = useMay("owner");
  const places = useQuery({ ...notificationsQuery(path), enabled: mayChange });
  if (!mayChange)
    return <Empty title="Only for owners">Ask an owner to change notifications.</Empty>;
  if (places.isError) return <Failure error={places.error} />;
  return (
    <div className="flex flex-col gap-4">
      {places.isSuccess && <NotificationPlaces saved={places.data} />}
      <Messages />
    </div>
  );
}
