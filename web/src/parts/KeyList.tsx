// List of the keys that work where one is now.
import { useState } from "react";

import { listed } from "../state/keys";
import { Dialog } from "./dialog";

export function KeyList({ onClose }: { onClose: () => void }) {
  const [wanted, setWanted] = useState("");
  const text = wanted.toLowerCase();
  return (
    <Dialog title="Keys" onClose={onClose}>
      <input data-first type="search" aria-label="search the keys" placeholder="Search" className="field mb-3" value={wanted} onChange={(event) => setWanted(event.target.value)} />
      {[...listed()].sort((one, other) => Number(one.name === "everywhere") - Number(other.name === "everywhere")).map((group) => {
        const keys = group.keys.filter((one) => one.does.toLowerCase().includes(text) || one.key.includes(text));
        if (!keys.length) return null;
        return (
          <section key={group.name} className="mb-3">
            <h3 className="heading mb-1">{group.name === "here" ? "this page" : group.name}</h3>
            <dl className="grid grid-cols-[7rem_1fr] gap-y-1">
              {keys.map((one) => (
                <div key={one.key} className="contents">
                  <dt className="flex gap-1">
                    {(one.key === " " ? ["Space"] : one.key.split(" ")).map((part) => (
                      <kbd key={part} className="rounded border border-edge bg-sunken px-1.5 text-xs leading-5">
                        {part}
                      </kbd>
                    ))}
                  </dt>
                  <dd>{one.does}</dd>
                </div>
              ))}
            </dl>
          </section>
        );
      })}
      <p className="text-sm text-faint">Esc closes what is open. Keys rest while you type.</p>
    </Dialog>
  );
}
