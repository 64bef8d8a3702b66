import {
  Combobox,
  ComboboxGroup,
  ComboboxGroupLabel,
  ComboboxItem,
  ComboboxList,
  ComboboxProvider,
} from "@ariakit/react";
import { type LucideIcon, Search } from "lucide-react";
import { Dialog } from "./dialog.js";

const WORDS_CHARS_MAX = 100;

export interface Option {
  readonly key: string;
  readonly label: string;
  readonly note?: string;
  readonly icon?: LucideIcon;
  onChoose(): void;
}

interface OptionGroup {
  readonly title: string;
  readonly options: readonly Option[];
}

interface PickerProps {
  readonly open: boolean;
  readonly title: string;
  readonly placeholder: string;
  readonly words: string;
  readonly groups: readonly OptionGroup[];
  /** Shown if there is nothing to choose. */
  readonly empty: string;
  onWords(words: string): void;
  onClose(): void;
}

function Choice({ option, onClose }: { readonly option: Option; onClose(): void }) {
  const { label, note, icon: Icon, onChoose } = option;
  function choose() {
    onClose();
    onChoose();
  }
  return (
    <ComboboxItem
      onClick={choose}
      focusOnHover
      hideOnClick={false}
      setValueOnClick={false}
      className="flex cursor-pointer items-center gap-3 rounded-lg px-3 py-2 text-sm data-active-item:bg-act-soft"
    >
      {Icon !== undefined && <Icon aria-hidden size={16} className="shrink-0 text-soft" />}
      <span className="min-w-0 truncate">{label}</span>
      {note !== undefined && <span className="ml-auto truncate text-xs text-soft">{note}</span>}
    </ComboboxItem>
  );
}

/** A dialog that finds one thing among many, by typing or with the arrow keys. */
export function Picker(props: PickerProps) {
  const { open, title, placeholder, words, groups, empty, onWords, onClose } = props;
  const shown = groups.filter(({ options }) => options.length > 0);
  return (
    <Dialog open={open} title={title} place="top" plain onClose={onClose}>
      <ComboboxProvider open value={words} setValue={onWords}>
        <div className="flex items-center gap-3 border-b border-line px-4">
          <Search aria-hidden size={18} className="shrink-0 text-soft" />
          <Combobox
            autoFocus
            autoSelect="always"
            aria-label={title}
            placeholder={placeholder}
            maxLength={WORDS_CHARS_MAX}
            className="w-full bg-transparent py-3 outline-none"
          />
        </div>
        <ComboboxList alwaysVisible aria-label={title} className="overflow-auto p-2">
          {shown.map(({ title: name, options }) => (
            <ComboboxGroup key={name}>
              <ComboboxGroupLabel className="px-3 pt-2 pb-1 text-xs font-medium text-soft">
                {name}
              </ComboboxGroupLabel>
              {options.map((option) => (
                <Choice key={option.key} option={option} onClose={onClose} />
              ))}
            </ComboboxGroup>
          ))}
        </ComboboxList>
        {shown.length === 0 && (
          <p role="status" className="px-5 pb-5 text-sm text-soft">
            {empty}
          </p>
        )}
      </ComboboxProvider>
    </Dialog>
  );
}
