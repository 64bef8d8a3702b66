import { call } from "../api/client.js";
import { useSave } from "../api/save.js";
import { type Site, useMay, useSite } from "../layout/sites.js";
import { PictureField } from "../products/picture-field.js";
import { fitPicture, uploadPicture } from "../products/shrink-picture.js";
import { useDraft } from "../ui/draft.js";
import { Form } from "../ui/form.js";
import { Card } from "../ui/page.js";
import { SaveRow } from "../ui/save-row.js";

interface Chosen {
  readonly url: string;
  readonly file: File | null;
}

function PictureForm({ site }: { readonly site: Site }) {
  const place = `${useSite().path}/picture`;
  const draft = useDraft<Chosen>({ url: site.picture_url ?? "", file: null });
  const { url, file } = draft.value;
  const save = useSave(async () => {
    if (file !== null) return uploadPicture<Site>(place, await fitPicture(file));
    return url === "" && site.picture_url !== null ? call<Site>("DELETE", place) : site;
  }, "sites");
  return (
    <Form
      of={save}
      done="Saved."
      onSubmit={() => save.mutate(undefined, { onSuccess: () => draft.saved(draft.value) })}
      className="flex flex-col gap-3"
    >
      <PictureField
        url={url}
        file={file}
        takesAddress={false}
        onUrl={(one) => draft.set({ url: one })}
        onFile={(one) => draft.set({ file: one })}
      />
      <SaveRow draft={draft} busy={save.isPending} />
    </Form>
  );
}

/** The picture that the public page of the shop shows. */
export function PictureCard({ site }: { readonly site: Site }) {
  const mayChange = useMay("owner");
  const { name, picture_url: shown } = site;
  return (
    <Card title="Picture of the shop">
      <p className="text-sm text-soft">Your public page shows it above the name of your shop.</p>
      {mayChange && <PictureForm site={site} />}
      {!mayChange && shown !== null && (
        <img src={shown} alt={name} className="max-h-24 max-w-full self-start rounded-lg" />
      )}
      {!mayChange && shown === null && <p className="text-sm">The shop has no picture.</p>}
    </Card>
  );
}
