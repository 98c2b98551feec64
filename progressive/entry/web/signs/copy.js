// Copies what a field holds. Browsers give pages the clipboard only where they came by TLS or from
// the same machine; elsewhere the old way still works.

import { toast } from "../kit/toast.js";

export async function copyFrom(field) {
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
  } catch {
    if (!document.execCommand("copy")) {
      toast("Not copied: the text is selected, press Ctrl+C.", { kind: "bad" });
      return;
    }
  }
  toast("Copied.", { kind: "good" });
}
