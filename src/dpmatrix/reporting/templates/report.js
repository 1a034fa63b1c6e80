"use strict";
(function () {
  var form = document.getElementById("filters");
  var shown = document.getElementById("shown");
  var claims = document.querySelectorAll("[data-verdict]");
  var texts = {};
  function chosen(name) { return form.elements[name].value; }
  function words(claim) {
    var name = claim.id || claim.querySelector("a").textContent;
    if (!(name in texts)) { texts[name] = document.getElementById(name).textContent.toLowerCase(); }
    return texts[name];
  }
  function apply() {
    var count = 0, asked = chosen("words").toLowerCase().split(" ").filter(Boolean);
    claims.forEach(function (claim) {
      var fits = (!chosen("document") || claim.dataset.document === chosen("document"))
        && (!chosen("verdict") || claim.dataset.verdict === chosen("verdict"))
        && (!chosen("grade") || claim.dataset.grades.split(" ").indexOf(chosen("grade")) >= 0)
        && asked.every(function (word) { return words(claim).indexOf(word) >= 0; });
      claim.hidden = !fits;
      if (fits && claim.tagName === "DETAILS") { count += 1; }
    });
    shown.textContent = count + (count === 1 ? " claim shown" : " claims shown");
  }
  function open() {
    var place = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (var node = place; node; node = node.parentElement) {
      if (node.hidden) { form.reset(); apply(); }
      if (node.tagName === "DETAILS") { node.open = true; }
    }
    if (place) { place.scrollIntoView(); }
  }
  function label(table) {
    var names = Array.prototype.map.call(table.querySelectorAll("thead th"), function (cell) { return cell.textContent; });
    if (names.length < 3 || table.closest(".scroll")) { return; }
    table.classList.add("stacked");
    table.querySelectorAll("tbody tr").forEach(function (row) {
      Array.prototype.forEach.call(row.cells, function (cell, place) {
        cell.dataset.label = names[place] || "";
        if (!cell.textContent.trim()) { cell.classList.add("empty"); }
      });
    });
  }
  function alone(button) {
    var certificate = button.closest("details");
    button.hidden = false;
    button.addEventListener("click", function () {
      certificate.classList.add("printed");
      document.body.classList.add("alone");
      window.print();
      document.body.classList.remove("alone");
      certificate.classList.remove("printed");
    });
  }
  function copies(part) {
    part.querySelectorAll("pre, .command").forEach(function (code) {
      if (code.dataset.copied || code.closest("details:not([open])")) { return; }
      code.dataset.copied = "yes";
      var button = document.createElement("button");
      button.type = "button";
      button.className = "copy";
      button.textContent = "Copy";
      button.setAttribute("aria-label", code.tagName === "PRE" ? "Copy this code" : "Copy " + code.textContent);
      button.addEventListener("click", function () {
        var range = document.createRange();
        range.selectNodeContents(code);
        getSelection().removeAllRanges();
        getSelection().addRange(range);
        button.textContent = document.execCommand("copy") ? "Copied" : "Selected";
      });
      code.after(button);
    });
  }
  function all() { if (document.body.classList.contains("alone")) { return; } document.querySelectorAll("details").forEach(function (node) { node.open = true; }); }
  document.querySelectorAll("table").forEach(label);
  document.querySelectorAll("button.print").forEach(alone);
  form.hidden = false;
  document.getElementById("to-filters").hidden = false;
  form.addEventListener("change", apply);
  form.addEventListener("input", apply);
  form.addEventListener("submit", function (event) { event.preventDefault(); });
  document.addEventListener("toggle", function (event) { if (event.target.open) { copies(event.target); } }, true);
  form.addEventListener("reset", function () { setTimeout(apply); });
  window.addEventListener("hashchange", open);
  window.addEventListener("beforeprint", all);
  apply();
  open();
  copies(document);
})();
