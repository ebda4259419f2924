// Questions to the server: docs/serve-api.md describes them.

// Asks a question. Parameters that are null or undefined are left out. Throws the server's error
// message.
export async function ask(name, params = {}, signal = undefined, method = "GET") {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(params))
    if (value !== null && value !== undefined && (value !== "" || method === "POST")) query.set(key, value);
  let reply;
  try {
    reply = await fetch(`/api/v1/${name}?${query}`, { signal, method, credentials: "same-origin" });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    document.dispatchEvent(new Event("server-lost"));
    throw new Error("The server does not answer.");
  }
  const text = await reply.text();
  let answer;
  try {
    answer = JSON.parse(text);
  } catch {
    throw new Error(`The server answered ${reply.status}.`);
  }
  if (!reply.ok) throw new Error(answer.error ?? `The server answered ${reply.status}.`);
  return answer;
}

// Changes something. Empty texts are sent, too.
export function change(name, params) {
  return ask(name, params, undefined, "POST");
}

// Asks questions of which only the last one is answered: a new question cancels the previous one.
export class Asker {
  #last = null;
  // Cancels the question; the server stops working on it.
  stop() {
    this.#last?.abort();
    this.#last = null;
  }
  async ask(name, params) {
    this.#last?.abort();
    const current = new AbortController();
    this.#last = current;
    try {
      return await ask(name, params, current.signal);
    } catch (error) {
      if (error.name === "AbortError") return null;
      throw error;
    }
  }
}

// An element with text, which is never interpreted as markup.
export function element(tag, className, text, attributes = {}) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined && text !== null) made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

// A button that leads to a place, by mouse and by keyboard.
export function link(text, go) {
  const made = element("button", "link", text, { type: "button" });
  made.addEventListener("click", go);
  return made;
}

// The parts of a row as the server sends them: [role, text] or [role, text, mark].
export function parts(row) {
  return row.map(([role, text, mark]) => element("span", mark ? `${role} ${mark}` : role, text));
}
