import type { ComponentProps } from "react";
import { Notice } from "../ui/notice.js";
import { useMay } from "./sites.js";

/** Why nothing on a page can be changed, for everybody but owners. */
export function OwnersNotice() {
  if (useMay("owner")) return null;
  return <Notice>You can view these settings. Only owners can change them.</Notice>;
}

const VIEW_ONLY = "disabled:[&_button]:hidden disabled:[&_[data-adds]]:hidden";

/**
 * Fields that only owners change. Others read them, without the buttons, and without what is marked as `data-adds`: a
 * field that only adds to a list.
 */
export function OwnersFields({ className = "", ...rest }: ComponentProps<"fieldset">) {
  const mayChange = useMay("owner");
  return <fieldset {...rest} disabled={!mayChange} className={`${VIEW_ONLY} ${className}`} />;
}
