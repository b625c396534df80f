// Boundary around a page: one that cannot be drawn or loaded says so, and all others stay where they are.
import { Component, useEffect, useState, type ComponentType, type ReactNode } from "react";

import { connection } from "../state/live";

/** `at`: what is shown; another one is drawn anew. */
export class Boundary extends Component<{ at: string; children: ReactNode }, { error: Error | null }> {
  state = { error: null as Error | null };

  static getDerivedStateFromError(error: Error): { error: Error } {
    return { error };
  }

  componentDidUpdate(before: { at: string }): void {
    if (before.at !== this.props.at && this.state.error) this.setState({ error: null });
  }

  render(): ReactNode {
    const { error } = this.state;
    if (!error) return this.props.children;
    return <Broken words={`This page could not be drawn: ${error.message}`} onAgain={() => this.setState({ error: null })} />;
  }
}

function Broken({ words, onAgain }: { words: string; onAgain: () => void }) {
  return (
    <div role="alert" className="m-3 flex max-w-2xl flex-wrap items-center gap-x-3 gap-y-2 rounded-md bg-fail-wash px-3 py-2 text-sm text-fail">
      <span className="min-w-0 break-words">{words}</span>
      <button type="button" className="btn" onClick={onAgain}>
        Load again
      </button>
    </div>
  );
}

const scriptOf = (page: Document): string => page.querySelector("script[type=module]")?.getAttribute("src") ?? "";

/** Script of the build that the server has: of another one the parts have other names. Empty: it does not answer. */
async function servedScript(): Promise<string> {
  try {
    const answer = await fetch("/", { cache: "no-store" });
    return scriptOf(new DOMParser().parseFromString(await answer.text(), "text/html"));
  } catch {
    return "";
  }
}

/** A part with a file of its own, loaded when it is first shown, and again when its loading failed and the line is back. */
export function onDemand<P extends object>(name: string, load: () => Promise<{ default: ComponentType<P> }>): ComponentType<P> {
  let Loaded: ComponentType<P> | null = null;
  return function OnDemand(props: P) {
    const [attempt, setAttempt] = useState(0);
    const [isFailed, setFailed] = useState(false);
    const [, setLoaded] = useState(Loaded !== null);
    useEffect(() => {
      if (Loaded) return;
      let isWanted = true;
      const fetchIt = async () => {
        const other = async () => ![scriptOf(document), ""].includes(await servedScript());
        if (attempt && (await other())) return window.location.reload();
        try {
          Loaded = (await load()).default;
          if (isWanted) setLoaded(true);
        } catch {
          // some browsers keep a failure for as long as the document lives
          if ((await other()) || (attempt && (await servedScript()))) return window.location.reload();
          if (isWanted) setFailed(true);
        }
      };
      void fetchIt();
      return () => {
        isWanted = false;
      };
    }, [attempt]);
    useEffect(() => {
      if (!isFailed) return;
      return connection.subscribe(() => {
        if (connection.get().line === "live") again();
      });
    }, [isFailed]);
    const again = () => {
      setFailed(false);
      setAttempt((was) => was + 1);
    };
    if (Loaded) return <Loaded {...props} />;
    if (isFailed) return <Broken words={`${name} could not be loaded.`} onAgain={again} />;
    return <p className="p-4 text-faint">Loading …</p>;
  };
}
