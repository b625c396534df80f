// Dialogs: the browser's own, with a title; Esc and a click beside it close it.
import { useEffect, useRef, type ReactNode } from "react";

export function Dialog({ title, onClose, children, wide = false }: { title: string; onClose: () => void; children: ReactNode; wide?: boolean }) {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = ref.current;
    if (!dialog || dialog.open) return;
    dialog.showModal();
    dialog.querySelector<HTMLElement>("[data-first]")?.focus();
  }, []);
  return (
    <dialog
      ref={ref}
      aria-label={title}
      onClose={onClose}
      onClick={(event) => event.target === ref.current && ref.current.close()}
      className={`card m-auto max-h-[92vh] w-[calc(100vw-1.5rem)] overflow-hidden p-0 text-ink shadow-[var(--shade)] ${wide ? "max-w-2xl" : "max-w-lg"}`}
    >
      <div className="flex max-h-[92vh] flex-col">
        <header className="flex items-center justify-between border-b border-line px-4 py-2.5">
          <h2 className="text-base font-semibold">{title}</h2>
          <button type="button" className="text-faint hover:text-ink" aria-label="close" onClick={() => ref.current?.close()}>
            ✕
          </button>
        </header>
        <div className="overflow-y-auto px-4 py-3">{children}</div>
      </div>
    </dialog>
  );
}
