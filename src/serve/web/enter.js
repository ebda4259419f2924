// The form for the secret, in a browser that does not know it. What follows # in the address, the
// place, is kept on the way to the page.
const input = document.getElementById("secret"), wrong = document.getElementById("wrong");

function say(text) {
  wrong.textContent = text;
  wrong.hidden = false;
}

document.getElementById("enter").addEventListener("submit", (event) => {
  event.preventDefault();
  const typed = input.value.trim(), secret = /token=([0-9a-f]*)/i.exec(typed)?.[1] ?? typed;
  if (/^[0-9a-f]{32}$/i.test(secret)) location.replace(`/?token=${secret.toLowerCase()}${location.hash}`);
  else say("A secret has 32 digits and letters from a to f.");
});
if (new URLSearchParams(location.search).has("token")) say("That is not the secret of this server, which is new at each start.");

// A link from elsewhere is followed without what the browser knows.
const reply = await fetch("/api/v1/ready", { credentials: "same-origin" }).catch(() => null);
if (reply?.ok) location.replace(`/?known${location.hash}`);
