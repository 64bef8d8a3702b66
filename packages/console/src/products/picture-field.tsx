import { ImagePlus } from "lucide-react";
import { useEffect, useId, useState } from "react";
import { Button } from "../ui/button.js";
import { TextField } from "../ui/field.js";
import { useProblem } from "../ui/form.js";
import { PICTURE_TYPES } from "./shrink-picture.js";

interface Props {
  /** The address of the picture; empty if there is none. */
  readonly url: string;
  /** A file that is uploaded when the form is saved. */
  readonly file: File | null;
  onUrl(url: string): void;
  /** Whether the address of a picture that is elsewhere can be entered. */
  readonly takesAddress?: boolean;
  onFile(file: File | null): void;
}

/** An address at which the browser shows a file that was not uploaded yet. */
function useShownFile(file: File | null): string | undefined {
  const [shown, setShown] = useState<string>();
  useEffect(() => {
    if (file === null) return setShown(undefined);
    const url = URL.createObjectURL(file);
    setShown(url);
    return () => URL.revokeObjectURL(url);
  }, [file]);
  return shown;
}

/** A picture: a file to choose or drop, or the address of one. */
export function PictureField({ url, file, onUrl, onFile, takesAddress = true }: Props) {
  const id = useId();
  const problem = useProblem("picture");
  const isAddressWrong = useProblem("image_url") !== undefined;
  const shownFile = useShownFile(file);
  const [isOver, setIsOver] = useState(false);
  const shown = shownFile ?? url;
  function choose(chosen: File | null | undefined) {
    setIsOver(false);
    if (chosen) onFile(chosen);
  }
  return (
    <fieldset
      onDragOver={(event) => {
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        choose(event.dataTransfer.files[0]);
      }}
      className={`flex min-w-0 flex-col gap-2 rounded-lg border border-dashed p-3 text-sm ${isOver ? "border-act bg-act-soft" : "border-line"}`}
    >
      <legend className="px-1 font-medium">Picture</legend>
      <div className="flex items-center gap-4">
        {shown === "" ? (
          <span className="grid size-24 shrink-0 place-items-center rounded-lg bg-line/40 text-soft">
            <ImagePlus aria-hidden size={28} />
          </span>
        ) : (
          <img
            src={shown}
            alt="What buyers see"
            className="size-24 shrink-0 rounded-lg object-cover"
          />
        )}
        <div data-adds className="flex min-w-0 flex-col gap-2">
          <label htmlFor={id}>
            {shown === "" ? "Drop a file here, or choose one." : "Replace it"}
          </label>
          <input
            id={id}
            name="picture"
            type="file"
            accept={PICTURE_TYPES.join(",")}
            aria-describedby={`${id}-hint`}
            aria-invalid={problem !== undefined}
            onChange={({ target }) => choose(target.files?.[0])}
            className="w-full min-w-0 file:mr-3 file:rounded-lg file:border file:border-line file:bg-card file:px-3 file:py-1.5 file:text-ink"
          />
          {shown !== "" && (
            <div>
              <Button onClick={() => (file === null ? onUrl("") : onFile(null))}>
                {file === null ? "Remove the picture" : "Keep the earlier picture"}
              </Button>
            </div>
          )}
        </div>
      </div>
      {problem !== undefined && (
        <span role="alert" className="text-xs font-medium text-bad">
          {problem}
        </span>
      )}
      <span id={`${id}-hint`} className="text-xs text-soft">
        JPEG, PNG or WebP, up to 5 MB; larger photos are made smaller. Everybody can see it.
        Gatehouse removes the location from photos.
      </span>
      {takesAddress && (
        <details open={isAddressWrong || undefined}>
          <summary className="text-soft">Use the address of a picture</summary>
          <TextField
            label="Address of the picture"
            name="image_url"
            type="url"
            value={url}
            onChange={({ target }) => onUrl(target.value)}
          />
        </details>
      )}
    </fieldset>
  );
}
