// Who is signed in on this page, as the service wrote it there, and the way out.

import { Refused, remove } from "../kit/api.js";
import { whileBusy } from "../kit/buttons.js";
import { toast } from "../kit/toast.js";

const { user = null, department = "", may = "" } = document.documentElement.dataset;
const allowed = new Set(may.split(" "));

export const me = { user, department, may: (act) => allowed.has(act) };

// To the sign-in, and back here afterwards.
export function signInAgain() {
  const here = `${location.pathname}${location.search}`;
  location.assign(`/sign-in?next=${encodeURIComponent(here)}`);
}

const out = document.getElementById("sign-out");
out?.addEventListener("click", () =>
  whileBusy(out, async () => {
    try {
      await remove("/v1/sessions");
    } catch (error) {
      // A session that has ended already is as good as one that is ended now.
      if (!(error instanceof Refused && error.status === 401)) {
        toast("You are still signed in: the service did not answer.", { kind: "bad" });
        return;
      }
    }
    location.assign("/");
  }),
);
