// The desk's keys, tabs, dialogs, and search in the policy. What a call shows comes from the server,
// by htmx; nothing here makes HTML, and texts are set as text alone.
"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  const main = $("console");
  const words = $("words");
  const NOT_YET = "It is not your turn yet. Nothing was sent.";

  // --- dialogs and what can be closed

  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-open], [data-close]");
    if (!button) return;
    if (button.ariaDisabled === "true" && button.dataset.open) say(NOT_YET);
    else if (button.dataset.open) open(button.dataset.open);
    else if (button.dataset.close === "notice") { $("notice").replaceChildren(); focusOn("words"); }
    else $(button.dataset.close).close();
  });

  function open(name) {
    const dialog = $(name);
    if (!dialog || document.querySelector("dialog[open]")) return;
    dialog.showModal();
    dialog.querySelector("textarea, button")?.focus();
  }

  // A start that was sent once is not sent twice.
  $("begin")?.addEventListener("submit", (event) => {
    event.target.querySelector("button").disabled = true;
  });
  window.addEventListener("pageshow", () => {
    const button = $("begin")?.querySelector("button");
    if (button) button.disabled = false;
  });

  if (!main) return;

  // --- what is shown: beside the call on a wide page, in its place on a narrow one

  const narrow = matchMedia("(max-width: 60rem)");

  function show(what) {
    main.dataset.view = what;
    if (what !== "call") main.dataset.side = what;
    for (const tab of document.querySelectorAll("[role=tab]")) {
      const chosen = tab.dataset.view ? tab.dataset.view === what : tab.dataset.side === main.dataset.side;
      tab.setAttribute("aria-selected", chosen ? "true" : "false");
      tab.tabIndex = chosen ? 0 : -1;
    }
    if (what === "call") toEnd();
  }

  for (const list of document.querySelectorAll("[role=tablist]")) {
    list.addEventListener("click", (event) => {
      const tab = event.target.closest("[role=tab]");
      if (tab) show(tab.dataset.view || tab.dataset.side);
    });
    list.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      const tabs = [...list.children];
      const place = tabs.indexOf(event.target);
      if (!step || place < 0) return;
      const next = tabs[(place + step + tabs.length) % tabs.length];
      show(next.dataset.view || next.dataset.side);
      next.focus();
      event.preventDefault();
    });
  }

  function focusOn(id) {
    const element = $(id);
    if (!element) return;
    show(element.closest("#policy") ? "policy" : element.closest("#tools") ? "tools" : "call");
    element.focus();
    if (element.matches("input[type=search]")) element.select();
  }

  // --- keys

  const places = {
    m: () => focusOn("words"),
    p: () => focusOn("find-words"),
    t: () => focusOn("tool-words"),
    c: () => focusOn("talk"),
    l: () => { show("call"); document.querySelector(".ends button")?.focus(); },
    h: () => open("keys"),
  };

  // The letter that was meant with Alt. Where Alt types characters (µ, @) these are typed; the place
  // of the key counts alone where the layout has letters of another script and Alt types nothing.
  const altTypes = /mac|iphone|ipad/i.test(navigator.platform);

  function letter({ key, code }) {
    const other = /^\p{L}$/u.test(key) && !/[\p{Script=Latin}\p{Script=Common}]/u.test(key);
    return (other && !altTypes && code.startsWith("Key") ? code.slice(3) : key).toLowerCase();
  }

  document.addEventListener("keydown", (event) => {
    if (document.querySelector("dialog[open]") || event.isComposing) return;
    const field = event.target.closest?.("input, textarea, select");
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
    let go = null;
    if (event.altKey && !event.ctrlKey && !event.metaKey && !event.getModifierState("AltGraph")) {
      go = places[letter(event)];
    } else if (plain && event.key === "Escape") {
      go = event.target === words ? places.c : places.m;
    } else if (plain && !field) {
      go = { "/": places.p, "?": places.h, m: places.m, t: places.t, c: places.c }[event.key];
    }
    if (!go) return;
    event.preventDefault();
    go();
  });

  // --- the message, and what is being written anywhere

  const draft = `ringback-draft-${document.body.dataset.session}`;
  const drafts = ["words", "end-text", "transfer-text", "abandon-text"];
  const draftOf = (id) => (id === "words" ? draft : `${draft}-${id}`);

  function keep(field) {
    if (field.value) sessionStorage.setItem(draftOf(field.id), field.value);
    else sessionStorage.removeItem(draftOf(field.id));
  }

  function fit() {
    words.rows = Math.min(8, Math.max(2, words.value.split("\n").length));
  }

  if (words) {
    for (const field of drafts.map($)) {
      field.value = field.value || sessionStorage.getItem(draftOf(field.id)) || "";
      field.addEventListener("input", () => keep(field));
    }
    fit();
    words.addEventListener("input", fit);
    words.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      if (!$("send").disabled) $("say").requestSubmit($("send"));
    });
  } else {
    // The call ended, here or elsewhere, while something was being written.
    for (const text of drafts.map((id) => sessionStorage.getItem(draftOf(id)))) {
      if (!text?.trim()) continue;
      const line = document.createElement("p");
      line.className = "words";
      line.dir = "auto";
      line.textContent = text;
      $("unsent-texts").append(line);
      $("unsent").hidden = false;
    }
    $("unsent-done").addEventListener("click", () => {
      for (const id of drafts) sessionStorage.removeItem(draftOf(id));
      $("unsent").hidden = true;
      $("result").focus();
    });
    $("result").focus({ preventScroll: true });
  }

  // --- answers of the server

  document.addEventListener("htmx:after:request", (event) => {
    const { sourceElement: form, request, response } = event.detail.ctx;
    delete document.body.dataset.gone;
    if (response.status === 200 && form.dataset.clears) {
      // What was sent goes; what was typed meanwhile stays.
      const field = $(form.dataset.clears);
      const sent = (request.body?.get("text") || "").replaceAll("\r\n", "\n");
      if (field.value.startsWith(sent)) field.value = field.value.slice(sent.length);
      keep(field);
      fit();
    }
    if (form.id === "ask-on" || form.id === "stop") focusOn("words"); // its place is gone
    if (!form.matches("form")) return;
    const dialog = form.closest("dialog");
    if (dialog && response.status !== 200) return; // it says there why not
    dialog?.close();
    // On a narrow page the answer would not be seen from among the tools, nor a message about it.
    if (!narrow.matches || !form.closest("#tools")) return;
    refused = form;
    repeat(response.status === 200 ? null : $("notice").querySelector("p"));
    if (response.status !== 200) return;
    refused = null;
    focusOn("talk");
  });

  document.addEventListener("htmx:response:error", (event) => {
    const { response, text } = event.detail.ctx;
    if (response.status === 409) return; // its pieces say it
    const plain = (response.headers.get("content-type") || "").startsWith("text/plain");
    const why = plain && response.status < 500 || response.status === 503 ? text : "The desk could not do that.";
    say(`${why} What you wrote is still here.`);
  });

  document.addEventListener("htmx:error", (event) => {
    if (event.detail.ctx?.response) return;
    document.body.dataset.gone = ""; // nothing is under way that could be shown
    say("The desk does not answer. See whether it still runs; what you wrote is still here.");
  });

  function say(text) {
    const place = $("notice");
    if (!place || place.textContent.startsWith(text)) return;
    const line = document.createElement("p");
    line.textContent = text;
    place.replaceChildren(line);
  }

  // The notice once more, where it is not seen; and the field that it names.
  let refused = null;

  function repeat(told) {
    const place = (document.querySelector("dialog[open]") || refused)?.querySelector("[data-told]");
    place?.replaceChildren(...(told ? [told.cloneNode(true)] : []));
    for (const field of refused?.querySelectorAll("[name^='arg.']") || []) {
      const named = told?.textContent.split(/[^\w]+/).includes(field.name.slice(4));
      field.ariaInvalid = named ? "true" : null;
      if (named) field.focus();
    }
  }

  // --- what cannot be done while it is not your turn looks so; it can be tried and says why

  const turn = document.querySelector(".turn");
  if (turn) {
    for (const button of document.querySelectorAll("button[disabled]")) button.disabled = false;
    const show = () => {
      const yours = $("turn")?.dataset.turn === "yours";
      for (const button of document.querySelectorAll("[data-yours]")) button.ariaDisabled = yours ? "false" : "true";
    };
    new MutationObserver(show).observe(turn, { childList: true, subtree: true, attributes: true, attributeFilter: ["data-turn"] });
    show();

    // A dialog covers the notice, so it says it too; and so does a form on a narrow page.
    new MutationObserver(() => repeat($("notice").querySelector("p"))).observe($("notice"), { childList: true, subtree: true });
    for (const dialog of document.querySelectorAll("dialog")) {
      dialog.addEventListener("close", () => dialog.querySelector("[data-told]")?.replaceChildren());
    }
  }

  // --- the conversation's end stays in sight, unless somebody reads further up

  const talk = $("talk");
  let atEnd = true;
  function toEnd() { talk.scrollTop = talk.scrollHeight; }
  talk.addEventListener("scroll", () => {
    atEnd = talk.scrollHeight - talk.scrollTop - talk.clientHeight < 80;
  });
  new ResizeObserver(() => { if (atEnd) toEnd(); }).observe(talk);
  new MutationObserver(() => { if (atEnd) toEnd(); }).observe(talk, { childList: true, subtree: true });
  toEnd();

  // --- how long the customer has been asked

  let since = null;
  setInterval(() => {
    const place = $("seconds");
    if (!place) { since = null; return; }
    since ??= Date.now();
    const seconds = Math.round((Date.now() - since) / 1000);
    place.textContent = seconds > 1 ? `${seconds} s` : "";
  }, 500);

  // --- find in the policy

  const policy = $("policy-text");
  const find = $("find-words");
  const marks = window.CSS?.highlights && window.Highlight ? CSS.highlights : null;
  let found = [];
  let here = -1;

  function rangesOf(wanted) {
    const walker = document.createTreeWalker(policy, NodeFilter.SHOW_TEXT);
    const nodes = [];
    let text = "";
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      nodes.push({ node, start: text.length });
      text += node.data;
    }
    const low = text.toLowerCase();
    if (low.length !== text.length) return []; // a script whose small letters are longer
    const at = (offset) => {
      const place = nodes.findLast((each) => each.start <= offset);
      return [place.node, offset - place.start];
    };
    const ranges = [];
    for (let place = low.indexOf(wanted); place >= 0; place = low.indexOf(wanted, place + wanted.length)) {
      const range = document.createRange();
      range.setStart(...at(place));
      const [last, end] = at(place + wanted.length - 1);
      range.setEnd(last, end + 1);
      ranges.push(range);
    }
    return ranges;
  }

  function mark() {
    marks?.delete("found");
    marks?.delete("here");
    const count = $("find-count");
    if (!find.value.trim()) { count.textContent = ""; return; }
    count.textContent = found.length ? `${here + 1} of ${found.length}` : "nowhere";
    if (!found.length) return;
    if (marks) {
      marks.set("found", new Highlight(...found.filter((_, place) => place !== here)));
      marks.set("here", new Highlight(found[here]));
    } else {
      getSelection().removeAllRanges();
      getSelection().addRange(found[here]);
    }
    const box = found[here].getBoundingClientRect();
    const pane = policy.getBoundingClientRect();
    if (box.top < pane.top + 40 || box.bottom > pane.bottom - 40) {
      policy.scrollTop += box.top - pane.top - pane.height / 3;
    }
  }

  function step(by) {
    if (found.length) here = (here + by + found.length) % found.length;
    mark();
  }

  find.addEventListener("input", () => {
    const wanted = find.value.trim().toLowerCase();
    found = wanted ? rangesOf(wanted) : [];
    here = found.length ? 0 : -1;
    mark();
  });
  $("find").addEventListener("submit", (event) => event.preventDefault());
  find.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    step(event.shiftKey ? -1 : 1);
  });
  $("find-on").addEventListener("click", () => step(1));
  $("find-back").addEventListener("click", () => step(-1));

  // --- find a tool

  const tool = $("tool-words");
  if (tool) {
    const all = [...document.querySelectorAll("details.tool")];
    const shown = () => all.filter((each) => !each.hidden);
    tool.addEventListener("input", () => {
      const wanted = tool.value.trim().toLowerCase().replaceAll("_", " ").split(/\s+/);
      const fits = (text) => wanted.every((word) => text.toLowerCase().replaceAll("_", " ").includes(word));
      const named = all.filter((each) => fits(each.dataset.name));
      const fitting = new Set(named.length ? named : all.filter((each) => fits(each.dataset.words)));
      for (const each of all) each.hidden = !fitting.has(each);
      const count = shown().length;
      $("tool-count").textContent = tool.value.trim() ? (count ? `${count} of ${all.length}` : "none") : "";
    });
    tool.addEventListener("keydown", (event) => {
      const first = shown()[0];
      if (event.key !== "Enter" || !first) return;
      event.preventDefault();
      first.open = true;
      (first.querySelector("form input:not([type=hidden]), form select, form textarea") || first.querySelector("form button"))?.focus();
    });
    $("tool-list").addEventListener("keydown", (event) => {
      const heads = shown().map((each) => each.querySelector("summary"));
      const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      const place = heads.indexOf(event.target);
      if (!by || place < 0) return;
      event.preventDefault();
      (heads[place + by] || tool).focus();
    });
  }

  narrow.addEventListener("change", () => show(main.dataset.view));
  show(main.dataset.view);
})();
