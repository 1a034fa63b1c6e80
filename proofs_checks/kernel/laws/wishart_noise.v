(* Wishart noise on the second-moment matrix, for every length d of a record and every number n of records: the printed
   mechanism betrays a record with probability exactly 1 - exp(-eps/3) (wishart.theorem-4), the difference of two
   Wishart matrices is private (its repair). W_d(d+1, c I) has density proportional to exp(-tr W/(2c)) on the cone. *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import boolp classical_sets functions cardinality fsbigop mathcomp_extra.
From mathcomp Require Import signed reals ereal topology normedtype sequences esum measure.
From mathcomp Require Import lebesgue_measure numfun lebesgue_integral exp.
From mathcomp.algebra_tactics Require Import ring.
From DPMatrix Require Import differential_privacy lebesgue_space additive_noise symmetrised_noise second_moment noisy_moments.
Import GRing.Theory Num.Theory Order.TTheory.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section cone.
Variables (R : realType) (d : nat).
Notation N := (triangle_size d).
Definition form (A : 'M[R]_d) (u : 'rV[R]_d) : R := \sum_i \sum_j A i j * (u 0 i * u 0 j).
(* the triangles of positive semidefinite matrices *)
Definition semidefinite : set 'rV[R]_N := [set x | forall u, 0 <= form (symmetric_matrix x) u].

Lemma semidefinite_add p q : semidefinite p -> semidefinite q -> semidefinite (p + q).
Proof.
move=> sp sq u; rewrite (_ : form _ u = form (symmetric_matrix p) u + form (symmetric_matrix q) u) ?addr_ge0//.
rewrite /form -big_split; apply: eq_bigr => i _; rewrite -big_split; apply: eq_bigr => j _.
by rewrite symmetric_matrixD mxE mulrDl.
Qed.
Lemma semidefinite_outer a (v : 'rV[R]_d) : 0 <= a -> semidefinite (triangle (a *: outer v)).
Proof.
move=> a0 u; rewrite triangleK; last by rewrite linearZ /= outerT.
have -> : form (a *: outer v) u = a * (inner v u * inner v u).
  rewrite /form /inner mulr_suml mulr_sumr; apply: eq_bigr => i _.
  by rewrite mulr_sumr mulr_sumr; apply: eq_bigr => j _; rewrite mxE outerE; ring.
by rewrite mulr_ge0// -expr2 sqr_ge0.
Qed.

(* vectors of rational numbers decide *)
Lemma rational_vectors (A : 'M[R]_d) :
  (forall q : 'rV[rat]_d, 0 <= form A (map_mx ratr q)) -> forall u, 0 <= form A u.
Proof.
move=> hq u; rewrite leNgt; apply/negP => neg.
pose M := \sum_i \sum_j `|A i j|; pose B := \sum_i `|u 0 i|; pose c := (2%:R * B + 1) * (M + 1).
have M0 : 0 <= M by apply: sumr_ge0 => i _; apply: sumr_ge0 => j _.
have B0 : 0 <= B by apply: sumr_ge0.
have c0 : 0 < c by rewrite mulr_gt0 ?ltr_spaddr ?mulr_ge0.
pose eta := - form A u; have eta0 : 0 < eta by rewrite oppr_gt0.
pose delta := eta / (c + eta); have ce : 0 < c + eta by rewrite addr_gt0.
have delta0 : 0 < delta by rewrite divr_gt0.
have delta1 : delta <= 1 by rewrite ler_pdivr_mulr// mul1r ler_addr ltW.
have small : M * ((2%:R * B + 1) * delta) < eta.
  apply: (@le_lt_trans _ _ (c * delta)).
    rewrite /c [X in _ <= X * _]mulrC -mulrA; apply: ler_wpmul2r; last by rewrite ler_addl ler01.
    by apply: mulr_ge0; [apply: addr_ge0; [apply: mulr_ge0; rewrite ?ler0n | exact: ler01] | exact: ltW].
  rewrite /delta mulrA ltr_pdivr_mulr// mulrC ltr_pmul2l// ltr_addl.
  exact: eta0.
have [q qP] : {q : 'I_d -> rat & forall i, u 0 i < ratr (q i) < u 0 i + delta}.
  apply: (@choice _ _ (fun i (x : rat) => is_true (u 0 i < ratr x < u 0 i + delta))) => i.
  have [|x] := @rat_in_itvoo R (u 0 i) (u 0 i + delta); first by rewrite ltr_addl.
  by rewrite in_itv /= => h; exists x.
pose w := map_mx ratr (\row_i q i) : 'rV[R]_d.
have near i : `|w 0 i - u 0 i| <= delta.
  by rewrite !mxE; have /andP[a b] := qP i; rewrite ger0_norm ?subr_ge0 1?ltW// ltr_subl_addl.
have ub i : `|u 0 i| <= B.
  by rewrite /B (bigD1 i)//= ler_addl; apply: sumr_ge0.
have wb i : `|w 0 i| <= B + 1.
  rewrite -[w 0 i](subrK (u 0 i)) (le_trans (ler_norm_add _ _))// addrC ler_add// (le_trans (near i))//.
have diff i j : `|w 0 i * w 0 j - u 0 i * u 0 j| <= (2%:R * B + 1) * delta.
  have -> : w 0 i * w 0 j - u 0 i * u 0 j = w 0 i * (w 0 j - u 0 j) + u 0 j * (w 0 i - u 0 i) by ring.
  apply: (le_trans (ler_norm_add _ _)); rewrite !normrM.
  have -> : (2%:R * B + 1) * delta = (B + 1) * delta + B * delta by ring.
  by apply: ler_add; apply: ler_pmul.
have : 0 <= form A w by exact: hq.
rewrite leNgt => /negP; apply; rewrite -[form A w](subrK (form A u)) -ltr_subr_addr sub0r.
apply: (le_lt_trans (ler_norm _)); apply: le_lt_trans small.
rewrite /form -sumrB (le_trans (ler_norm_sum _ _ _))// /M mulr_suml ler_sum// => i _.
rewrite -sumrB (le_trans (ler_norm_sum _ _ _))// mulr_suml ler_sum// => j _.
by rewrite -mulrBr normrM ler_wpmul2l.
Qed.

Lemma measurable_sums (I : Type) (s : seq I) (h : I -> space R N -> R) : (forall i, measurable_fun setT (h i)) ->
  measurable_fun setT (fun x => \sum_(i <- s) h i x).
Proof.
move=> mh; elim: s => [|i s IH]; first by under eq_fun do rewrite big_nil; exact: measurable_fun_cst.
by under eq_fun do rewrite big_cons; apply: measurable_funD.
Qed.
Lemma measurable_form u : measurable_fun setT (fun x : space R N => form (symmetric_matrix x) u).
Proof.
apply: measurable_sums => i; apply: measurable_sums => j; apply: measurable_funM; last exact: measurable_fun_cst.
by under eq_fun do rewrite mxE; exact: measurable_coordinate.
Qed.
Lemma measurable_semidefinite : measurable (semidefinite : set (space R N)).
Proof.
pose F (m : nat) : set (space R N) :=
  if @unpickle [countType of 'rV[rat]_d] m is Some q then [set x | 0 <= form (symmetric_matrix x) (map_mx ratr q)] else setT.
rewrite (_ : (semidefinite : set (space R N)) = \bigcap_m F m).
  apply: bigcapT_measurable => m; rewrite /F; case: unpickle => [q|]; last exact: measurableT.
  have := measurable_form (map_mx ratr q) => /(_ measurableT `[0, +oo[%classic (measurable_itv _)); rewrite setTI.
  by congr measurable; apply/seteqP; split => x /=; rewrite in_itv /= andbT.
apply/seteqP; split => [x sx m _|x h]; first by rewrite /F; case: unpickle => // q; exact: sx.
apply: rational_vectors => q; have := h (pickle q) I; rewrite /F pickleK; exact.
Qed.

(* the exponent of the density of W_d(d+1, c I) *)
Definition half_trace (c : R) (x : 'rV[R]_N) : R := \tr (symmetric_matrix x) / (2%:R * c).
Lemma half_trace_add c p q : half_trace c (p + q) = half_trace c p + half_trace c q.
Proof. by rewrite /half_trace symmetric_matrixD linearD mulrDl. Qed.
Lemma measurable_half_trace c : measurable_fun setT (half_trace c : space R N -> R).
Proof.
apply: measurable_funM; last exact: measurable_fun_cst.
by apply: measurable_sums => i; under eq_fun do rewrite mxE; exact: measurable_coordinate.
Qed.
Definition wishart_noise c : space R N -> \bar R := cone_noise semidefinite (half_trace c).
Definition wishart_difference c (b : 'rV[R]_N) : set (space R N) -> \bar R := symmetrised semidefinite (half_trace c) b.
End cone.

Section mechanisms.
Variables (R : realType) (d n : nat).
Implicit Types (X Y : seq 'rV[R]_d) (v w : 'rV[R]_d).
Hypothesis n0 : (0 < n)%N.
Let nn : n%:R != 0 :> R. Proof. by rewrite pnatr_eq0 -lt0n. Qed.
Let ni : 0 <= n%:R^-1 :> R. Proof. by rewrite invr_ge0. Qed.

(* what a record adds to the average *)
Definition share v : 'rV[R]_(triangle_size d) := triangle (n%:R^-1 *: outer v).
Lemma average_share s v t : average n (s ++ v :: t) = average n (s ++ t) + share v.
Proof.
rewrite /average /share triangleZ -scalerDr -triangleD; congr (_ *: triangle _).
by rewrite /moment !big_cat big_cons /= addrCA addrC.
Qed.
Lemma half_trace_share c v : half_trace c (share v) = squared_norm v / (2%:R * n%:R * c).
Proof.
rewrite /half_trace triangleK; last by rewrite linearZ /= outerT.
by rewrite mxtraceZ trace_outer mulrC mulrA -invfM mulrC [2%:R * c * _]mulrAC.
Qed.

Lemma half_trace0 c : half_trace c (0 : 'rV[R]_(triangle_size d)) = 0.
Proof. by rewrite /half_trace (_ : symmetric_matrix 0 = 0) ?linear0 ?mul0r//; apply/matrixP => i j; rewrite !mxE. Qed.
Lemma semidefinite0 : semidefinite (0 : 'rV[R]_(triangle_size d)).
Proof. by move=> u; rewrite /form big1// => i _; rewrite big1// => j _; rewrite !mxE mul0r. Qed.

Lemma wishart_difference_hides c (eps : R) b P M : semidefinite P -> semidefinite M ->
  half_trace c P + half_trace c M <= eps ->
  indistinguishable eps 0 (@wishart_difference R d c (b + P)) (wishart_difference c (b + M)).
Proof.
move=> KP KM le; apply: (@indistinguishable_weaker _ _ _ (half_trace c P + half_trace c M) _ 0) => //.
  by move=> S; apply: density_law_ge0 => x; exact: pair_noise_ge0.
apply: symmetrised_noise_hides; [exact: semidefinite_add | exact: measurable_semidefinite | exact: half_trace_add |
  exact: measurable_half_trace | exact: KP | exact: KM].
Qed.

(* the repair under replace-one: c = 1/(n eps) *)
Lemma replaced_under_difference (eps : R) : 0 < eps ->
  differentially_private (@replace_one R d 1) eps 0 (fun X => wishart_difference (n%:R * eps)^-1 (average n X)).
Proof.
move=> eps0 X Y [s [v [w [t [eX eY bX bY]]]]].
have v1 : squared_norm v <= 1 by rewrite -(expr1n _ 2); apply: bX; rewrite eX mem_cat mem_head orbT.
have w1 : squared_norm w <= 1 by rewrite -(expr1n _ 2); apply: bY; rewrite eY mem_cat mem_head orbT.
rewrite eX eY !average_share; apply: wishart_difference_hides; [exact: semidefinite_outer | exact: semidefinite_outer |].
rewrite !half_trace_share -mulrDl.
have -> : 2%:R * n%:R * (n%:R * eps)^-1 = 2%:R / eps :> R by field; rewrite nn gt_eqF.
by rewrite invf_div mulrA ler_pdivr_mulr// mulrC ler_pmul2l// mulr2n; exact: ler_add.
Qed.

(* half the scale, c = 1/(2 n eps) *)
Lemma half_scale (eps : R) v : 0 < eps -> half_trace (2%:R * n%:R * eps)^-1 (share v) = eps * squared_norm v.
Proof. by move=> eps0; rewrite half_trace_share mulrC; congr (_ * _); field; rewrite nn gt_eqF. Qed.

(* a record appears or disappears and n is a public divisor *)
Lemma added_under_difference (eps : R) : 0 < eps ->
  differentially_private (@add_remove_one R d 1) eps 0
    (fun X => wishart_difference (2%:R * n%:R * eps)^-1 (average n X)).
Proof.
move=> eps0; have le v : squared_norm v <= 1 -> half_trace (2%:R * n%:R * eps)^-1 (share v) <= eps.
  by move=> v1; rewrite half_scale// ler_pimulr// ltW.
move=> X Y [s [v [t [[[eX eY]|[eX eY]] bX bY]]]].
- have v1 : squared_norm v <= 1 by rewrite -(expr1n _ 2); apply: bX; rewrite eX mem_cat mem_head orbT.
  rewrite eX eY average_share -[X in indistinguishable _ _ _ (_ X)]addr0.
  by apply: wishart_difference_hides; [exact: semidefinite_outer | exact: semidefinite0 | rewrite half_trace0 addr0 le].
- have v1 : squared_norm v <= 1 by rewrite -(expr1n _ 2); apply: bY; rewrite eY mem_cat mem_head orbT.
  rewrite eX eY average_share -[X in indistinguishable _ _ (_ X) _]addr0.
  by apply: wishart_difference_hides; [exact: semidefinite0 | exact: semidefinite_outer | rewrite half_trace0 add0r le].
Qed.

(* the printed mechanism, c = 3/(2 n eps): a record of norm 1 against the record 0, whatever the other records are *)
Lemma printed_wishart_betrays_a_record (eps : R) s v t : 0 < eps -> squared_norm v = 1 ->
  let c := 3%:R / (2%:R * n%:R * eps) in
  (0 < cone_total (@semidefinite R d) (half_trace c) < +oo)%E ->
  let law := fun X => noisy (wishart_noise c) (average n X) in
  let X := s ++ v :: t in let Y := s ++ 0 :: t in
  exists U, [/\ measurable U, law X U = 0%E, law Y U = (1 - expR (- (eps / 3%:R)))%:E
    & forall eps', ~ indistinguishable eps' 0 (law Y) (law X)].
Proof.
move=> eps0 v1 c total law X Y.
have share0 : share 0 = 0.
  by apply/rowP => k; rewrite !mxE big1 ?mulr0// => i _; rewrite !mxE mul0r.
have aY : average n Y = average n (s ++ t) by rewrite average_share share0 addr0.
have aX : average n X = average n (s ++ t) + share v by exact: average_share.
have lv : half_trace c (share v) = eps / 3%:R.
  by rewrite half_trace_share v1 /c; field; rewrite nn gt_eqF.
have Kv : semidefinite (share v) by exact: semidefinite_outer.
exists (unreachable (@semidefinite R d) (average n (s ++ t)) (share v)); split.
- by apply: measurable_unreachable; exact: measurable_semidefinite.
- by rewrite /law aX; exact: impossible_output.
- rewrite /law aY -lv; apply: possible_output => //.
  + exact: semidefinite_add.
  + exact: measurable_semidefinite.
  + exact: half_trace_add.
  + exact: measurable_half_trace.
- move=> eps'; rewrite /law aX aY; apply: one_noise_is_not_private => //.
  + exact: semidefinite_add.
  + exact: measurable_semidefinite.
  + exact: half_trace_add.
  + exact: measurable_half_trace.
  + by rewrite lv divr_gt0.
Qed.
End mechanisms.

(* records of one number under replace-one: the change has a sign, and half the scale is enough *)
Section numbers.
Variables (R : realType) (n : nat).
Hypothesis n0 : (0 < n)%N.
Implicit Types (v w : 'rV[R]_1).

Definition rise v w : 'rV[R]_(triangle_size 1) :=
  triangle ((n%:R^-1 * (squared_norm v - squared_norm w)) *: outer (const_mx 1)).
Lemma share_rise v w : share n v = share n w + rise v w.
Proof.
rewrite /share /rise -triangleD; congr triangle; apply/matrixP => i j; rewrite !ord1 !mxE /squared_norm !big_ord1 !mxE.
by rewrite !mulr1 -!expr2 -mulrDr [X in _ = _ * X]addrC subrK.
Qed.

Lemma numbers_hidden (eps : R) b v w : 0 < eps -> squared_norm w <= squared_norm v -> squared_norm v <= 1 ->
  let law x := wishart_difference (2%:R * n%:R * eps)^-1 (b + share n x) in
  indistinguishable eps 0 (law v) (law w) /\ indistinguishable eps 0 (law w) (law v).
Proof.
move=> eps0 wv v1 law; set c := (_)^-1 in law *.
have K : semidefinite (rise v w) by apply: semidefinite_outer; rewrite mulr_ge0 ?invr_ge0 ?ler0n ?subr_ge0.
have small : half_trace c (rise v w) <= eps.
  have := half_scale n0 v eps0; rewrite (share_rise v w) half_trace_add (half_scale n0 w eps0) => e.
  have -> : half_trace c (rise v w) = eps * (squared_norm v - squared_norm w) by rewrite mulrBr -e addrC addKr.
  rewrite ler_pimulr ?(ltW eps0)// ler_subl_addr (le_trans v1)// ler_addl; exact: squared_norm_ge0.
have e : b + share n v = b + share n w + rise v w by rewrite (share_rise v w) addrA.
have l0 := half_trace0 1 c; have K0 := @semidefinite0 R 1.
rewrite /law e; split.
  by have := wishart_difference_hides (b + share n w) K K0; rewrite addr0; apply; rewrite l0 addr0.
by have := wishart_difference_hides (b + share n w) K0 K; rewrite addr0; apply; rewrite l0 add0r.
Qed.

Lemma numbers_replaced_under_difference (eps : R) : 0 < eps ->
  differentially_private (@replace_one R 1 1) eps 0
    (fun X => wishart_difference (2%:R * n%:R * eps)^-1 (average n X)).
Proof.
move=> eps0 X Y [s [v [w [t [eX eY bX bY]]]]].
have v1 : squared_norm v <= 1 by rewrite -(expr1n _ 2); apply: bX; rewrite eX mem_cat mem_head orbT.
have w1 : squared_norm w <= 1 by rewrite -(expr1n _ 2); apply: bY; rewrite eY mem_cat mem_head orbT.
rewrite eX eY !average_share; have [vw|/ltW wv] := lerP (squared_norm v) (squared_norm w).
  by have [] := numbers_hidden (average n (s ++ t)) eps0 vw w1.
by have [] := numbers_hidden (average n (s ++ t)) eps0 wv v1.
Qed.
End numbers.

(* the repair: its scale for each relation, and the smaller one for one number a record *)
Theorem symmetrised_wishart_is_private (R : realType) (d n : nat) (eps : R) : (0 < n)%N -> 0 < eps ->
  let law k c := fun X : seq 'rV[R]_k => wishart_difference c (average n X) in
  [/\ differentially_private (@replace_one R d 1) eps 0 (law d (n%:R * eps)^-1),
      differentially_private (@add_remove_one R d 1) eps 0 (law d (2%:R * n%:R * eps)^-1)
    & differentially_private (@replace_one R 1 1) eps 0 (law 1%N (2%:R * n%:R * eps)^-1)].
Proof.
move=> n0 eps0 law; split; [exact: replaced_under_difference | exact: added_under_difference |
  exact: numbers_replaced_under_difference].
Qed.
